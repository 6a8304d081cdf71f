//! What the contract of `charge_invoice` promises, at a provider that fails in every way.

#![allow(clippy::disallowed_methods, reason = "a test may read the disk and start programs")]

use std::collections::BTreeMap;
use std::sync::Mutex;

use effect_contracts::effect_case;
use payments::{
    CallError, ChargeError, ChargeState, Gateway, Invoice, Ledger, LedgerError, Receipt, charge_invoice, decide,
};

/// What goes wrong at the provider.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// nothing
    None,
    /// it charges, and the answer is lost
    LoseAnswer,
    /// it charges, and answers after everybody has gone
    AnswerLate,
    /// it cannot be reached at all
    Down,
    /// it refuses
    Refuse,
}

/// A provider in this process. It remembers keys for a while and charges for ever, and counts what it was asked.
struct Provider {
    fault: Mutex<Fault>,
    remembered: Mutex<BTreeMap<String, Receipt>>,
    charges: Mutex<Vec<(String, Receipt)>>,
    requests: Mutex<u32>,
}

impl Provider {
    fn new(fault: Fault) -> Self {
        Self {
            fault: Mutex::new(fault),
            remembered: Mutex::default(),
            charges: Mutex::default(),
            requests: Mutex::default(),
        }
    }

    fn set(&self, fault: Fault) {
        *self.fault.lock().unwrap() = fault;
    }

    fn fault(&self) -> Fault {
        *self.fault.lock().unwrap()
    }

    /// The window is over: the next request with a known key is a new one.
    fn forget_keys(&self) {
        self.remembered.lock().unwrap().clear();
    }

    fn effects(&self) -> usize {
        self.charges.lock().unwrap().len()
    }

    fn requests(&self) -> u32 {
        *self.requests.lock().unwrap()
    }
}

impl Gateway for Provider {
    async fn create_charge(&self, key: &str, _cents: u64) -> Result<Receipt, CallError> {
        *self.requests.lock().unwrap() += 1;
        tokio::task::yield_now().await;
        match self.fault() {
            Fault::Down => return Err(CallError::NoAnswer),
            Fault::Refuse => return Err(CallError::Refused("card expired".into())),
            Fault::None | Fault::LoseAnswer | Fault::AnswerLate => {}
        }
        let receipt = {
            let mut remembered = self.remembered.lock().unwrap();
            match remembered.get(key) {
                Some(receipt) => receipt.clone(),
                None => {
                    let mut charges = self.charges.lock().unwrap();
                    let receipt = Receipt(format!("ch_{}", charges.len() + 1));
                    charges.push((key.to_owned(), receipt.clone()));
                    remembered.insert(key.to_owned(), receipt.clone());
                    receipt
                }
            }
        };
        match self.fault() {
            Fault::LoseAnswer => Err(CallError::NoAnswer),
            Fault::AnswerLate => {
                tokio::time::sleep(std::time::Duration::from_secs(3600)).await;
                Ok(receipt)
            }
            _ => Ok(receipt),
        }
    }

    async fn find_charge(&self, key: &str) -> Result<Option<Receipt>, CallError> {
        if self.fault() == Fault::Down {
            return Err(CallError::NoAnswer);
        }
        let charges = self.charges.lock().unwrap();
        let found = charges.iter().find(|(known, _)| known == key);
        Ok(found.map(|(_, receipt)| receipt.clone()))
    }
}

const INVOICE: Invoice = Invoice { id: 17, cents: 4_200 };
const KEY: &str = "invoice/17/charge";

struct Service {
    folder: tempfile::TempDir,
    ledger: Ledger,
}

impl Service {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::open(&folder.path().join("charges.log")).unwrap();
        Self { folder, ledger }
    }

    /// As after a crash or a deployment: everything in memory is gone.
    fn restart(self) -> Self {
        let ledger = Ledger::open(&self.folder.path().join("charges.log")).unwrap();
        Self { ledger, ..self }
    }

    async fn deliver(&self, provider: &Provider) -> Result<ChargeState, ChargeError> {
        charge_invoice(provider, &self.ledger, &INVOICE).await
    }
}

#[tokio::test]
async fn a_lost_acknowledgement_ends_reconciled_with_one_effect() {
    let (service, provider) = (Service::start(), Provider::new(Fault::LoseAnswer));
    let first = service.deliver(&provider).await;
    assert!(matches!(first, Err(ChargeError::Unknown)));
    assert_eq!(service.ledger.state(KEY), Some(ChargeState::Unknown));

    provider.set(Fault::None);
    let second = service.deliver(&provider).await.unwrap();
    assert_eq!(second, ChargeState::Reconciled(Receipt("ch_1".into())));
    assert_eq!(service.ledger.state(KEY), Some(second));
    assert_eq!((provider.effects(), provider.requests()), (1, 1));
}

#[effect_case(charge_invoice, killed_after_accept)]
#[tokio::test(start_paused = true)]
async fn a_worker_that_dies_after_the_provider_has_acted_charges_once() {
    let (service, provider) = (Service::start(), Provider::new(Fault::AnswerLate));
    let attempt = tokio::time::timeout(std::time::Duration::from_secs(1), service.deliver(&provider));
    assert!(attempt.await.is_err(), "the worker is killed while it waits");
    assert_eq!(provider.effects(), 1);

    let service = service.restart();
    assert_eq!(service.ledger.state(KEY), Some(ChargeState::Prepared));
    provider.set(Fault::None);
    let state = service.deliver(&provider).await.unwrap();
    assert_eq!(state, ChargeState::Reconciled(Receipt("ch_1".into())));
    assert_eq!((provider.effects(), provider.requests()), (1, 1));
}

#[effect_case(charge_invoice, delivered_twice)]
#[tokio::test]
async fn a_second_delivery_sends_nothing() {
    let (service, provider) = (Service::start(), Provider::new(Fault::None));
    let first = service.deliver(&provider).await.unwrap();
    let service = service.restart();
    let second = service.deliver(&provider).await.unwrap();
    assert_eq!(first, second);
    assert_eq!((provider.effects(), provider.requests()), (1, 1));
}

#[effect_case(charge_invoice, two_workers_race)]
#[tokio::test]
async fn two_workers_make_one_effect() {
    let (service, provider) = (Service::start(), Provider::new(Fault::None));
    let (one, two) = tokio::join!(service.deliver(&provider), service.deliver(&provider));
    let receipt = |state: ChargeState| match state {
        ChargeState::Settled(receipt) | ChargeState::Reconciled(receipt) => receipt,
        other => panic!("{other:?}"),
    };
    // one of them may find the row closed by the other, in the other's words
    let receipts: Vec<Receipt> = [one, two].into_iter().filter_map(Result::ok).map(receipt).collect();
    assert!(!receipts.is_empty());
    assert!(receipts.iter().all(|it| *it == Receipt("ch_1".into())));
    assert_eq!(provider.effects(), 1);
    assert!(service.ledger.state(KEY).unwrap().is_final());
}

#[effect_case(charge_invoice, acknowledgement_delayed)]
#[tokio::test(start_paused = true)]
async fn an_answer_that_comes_too_late_is_unknown_and_then_found() {
    let (service, provider) = (Service::start(), Provider::new(Fault::AnswerLate));
    let first = service.deliver(&provider).await;
    assert!(matches!(first, Err(ChargeError::Unknown)));
    provider.set(Fault::None);
    let second = service.deliver(&provider).await.unwrap();
    assert_eq!(second, ChargeState::Reconciled(Receipt("ch_1".into())));
    assert_eq!(provider.effects(), 1);
}

#[effect_case(charge_invoice, reconcile_inconclusive)]
#[tokio::test]
async fn unknown_stays_unknown_until_an_operator_decides() {
    let (service, provider) = (Service::start(), Provider::new(Fault::LoseAnswer));
    assert!(service.deliver(&provider).await.is_err());
    provider.set(Fault::Down);
    for _ in 0..3 {
        let again = service.deliver(&provider).await;
        assert!(matches!(again, Err(ChargeError::Unknown)));
        assert_eq!(service.ledger.state(KEY), Some(ChargeState::Unknown));
    }
    assert_eq!(provider.requests(), 1, "nothing is sent while nobody knows");

    decide(&service.ledger, 17, Ok(Receipt("ch_1".into()))).unwrap();
    let service = service.restart();
    let state = service.deliver(&provider).await.unwrap();
    assert_eq!(state, ChargeState::Reconciled(Receipt("ch_1".into())));
    let late = decide(&service.ledger, 17, Err("no charge".into()));
    assert!(matches!(late, Err(LedgerError::Illegal)));
}

#[effect_case(charge_invoice, retried_after_deploy)]
#[tokio::test]
async fn a_new_version_finds_what_the_old_one_has_sent() {
    let (service, provider) = (Service::start(), Provider::new(Fault::LoseAnswer));
    assert!(service.deliver(&provider).await.is_err());
    let service = service.restart();
    provider.set(Fault::None);
    assert!(service.deliver(&provider).await.unwrap().is_final());
    assert_eq!((provider.effects(), provider.requests()), (1, 1));
}

#[effect_case(charge_invoice, retried_after_window)]
#[tokio::test]
async fn after_the_window_the_provider_is_asked_first() {
    let (service, provider) = (Service::start(), Provider::new(Fault::LoseAnswer));
    assert!(service.deliver(&provider).await.is_err());
    provider.set(Fault::None);
    provider.forget_keys();
    let state = service.deliver(&provider).await.unwrap();
    assert_eq!(state, ChargeState::Reconciled(Receipt("ch_1".into())));
    // a repeat would have been a second charge: only the question stood between
    assert_eq!((provider.effects(), provider.requests()), (1, 1));
}

#[effect_case(charge_invoice, payload_changed)]
#[tokio::test]
async fn the_same_invoice_with_another_amount_is_refused() {
    let (service, provider) = (Service::start(), Provider::new(Fault::None));
    service.deliver(&provider).await.unwrap();
    let other = Invoice { cents: 9_900, ..INVOICE };
    let conflict = charge_invoice(&provider, &service.ledger, &other).await;
    assert!(matches!(conflict, Err(ChargeError::Ledger(LedgerError::Conflict))));
    assert_eq!((provider.effects(), provider.requests()), (1, 1));
}

#[tokio::test]
async fn a_refusal_is_final() {
    let (service, provider) = (Service::start(), Provider::new(Fault::Refuse));
    let first = service.deliver(&provider).await.unwrap();
    assert_eq!(first, ChargeState::Declined("card expired".into()));
    provider.set(Fault::None);
    assert_eq!(service.deliver(&provider).await.unwrap(), first);
    assert_eq!((provider.effects(), provider.requests()), (0, 1));
}
