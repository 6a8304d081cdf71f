//! The table of fields: what each is called, whether it is needed, how it is written, how it is read.

use crate::cursor::Cursor;
use crate::forms;
use crate::grammar::{Error, Parsed};

/// A field of a contract.
#[derive(Debug)]
pub struct Field {
    /// its name, the same in the attribute and in a configuration file
    pub name: &'static str,
    /// whether it has to be there
    pub need: Need,
    /// whether it may be given several times
    pub repeatable: bool,
    /// what it says, as a phrase
    pub says: &'static str,
    /// how an attribute writes it
    pub example: &'static str,
    pub(crate) shape: Shape,
    pub(crate) read: fn(&mut Cursor, &mut Parsed) -> Result<(), Error>,
}

/// Whether a field has to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// an attribute without it is an error
    Always,
    /// its absence is reported, since a configuration file may supply it
    Reported,
    /// it may be absent
    Optional,
    /// it is not part of the contract but an instruction to the macro
    Macro,
}

/// How a field stands in the attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `name = value`
    Value,
    /// `name`
    Flag,
    /// `name(..)`
    Call,
}

// A macro, since a `const fn` that takes such function pointers needs a newer compiler.
macro_rules! field {
    ($name:literal, $need:expr, $says:literal, $example:literal, $read:expr $(,)?) => {
        Field {
            name: $name,
            need: $need,
            repeatable: false,
            says: $says,
            example: $example,
            shape: Shape::Value,
            read: $read,
        }
    };
}

/// All fields, in the order of the documentation.
pub const FIELDS: &[Field] = &[
    field!(
        "intent_key",
        Need::Always,
        "the business identity of the effect",
        "intent_key = \"invoice/{invoice.id}/charge\"",
        forms::intent_key,
    ),
    field!(
        "provider_window",
        Need::Always,
        "how long the provider deduplicates",
        "provider_window = at_least(\"24h\")",
        |cursor, parsed| store(&mut parsed.contract.provider_window, forms::window(cursor)),
    ),
    field!(
        "terminal",
        Need::Always,
        "the states in which nothing more happens",
        "terminal = [confirmed, rejected, reconciled]",
        forms::terminal,
    ),
    field!("provider", Need::Reported, "who acts", "provider = \"stripe-v1\"", |cursor, parsed| {
        store(&mut parsed.contract.provider, forms::text(cursor, "provider"))
    },),
    field!("mechanism", Need::Optional, "how a repeat is neutralised", "mechanism = key", |cursor, parsed| store(
        &mut parsed.contract.mechanism,
        forms::mechanism(cursor)
    ),),
    field!(
        "replay_horizon",
        Need::Reported,
        "the longest time after first dispatch at which the intent can be delivered again",
        "replay_horizon = \"7d\"",
        |cursor, parsed| store(&mut parsed.contract.replay_horizon, forms::duration(cursor)),
    ),
    field!(
        "delivery",
        Need::Reported,
        "how the task reaches the handler",
        "delivery = at_least_once",
        |cursor, parsed| store(&mut parsed.contract.delivery, forms::delivery(cursor)),
    ),
    field!(
        "boundary",
        Need::Reported,
        "the internal transaction",
        "boundary = \"postgres: effect_ledger\"",
        |cursor, parsed| { store(&mut parsed.contract.boundary, forms::text(cursor, "boundary"),) },
    ),
    field!("record", Need::Reported, "the system of record", "record = \"billing.effect_ledger\"", |cursor, parsed| {
        store(&mut parsed.contract.record, forms::text(cursor, "record"))
    },),
    Field {
        repeatable: true,
        ..field!(
            "dispatch",
            Need::Optional,
            "the call that performs the effect",
            "dispatch = Stripe::create_charge",
            forms::dispatch,
        )
    },
    field!(
        "reconcile",
        Need::Reported,
        "the lookup for an unknown outcome",
        "reconcile = Stripe::find_charge_by_key",
        |cursor, parsed| {
            let (remedy, path) = forms::remedy(cursor, "reconcile")?;
            parsed.contract.reconcile = Some(remedy);
            parsed.extras.reconcile = path;
            Ok(())
        },
    ),
    field!("compensate", Need::Optional, "the undo", "compensate = refund_invoice", |cursor, parsed| {
        let (remedy, path) = forms::remedy(cursor, "compensate")?;
        parsed.contract.compensate = Some(remedy);
        parsed.extras.compensate = path;
        Ok(())
    },),
    Field {
        shape: Shape::Flag,
        ..field!("irreversible", Need::Optional, "the effect cannot be undone", "irreversible", |_, parsed| store(
            &mut parsed.contract.irreversible,
            Ok(true)
        ),)
    },
    field!(
        "compensates",
        Need::Optional,
        "the effect that this handler undoes",
        "compensates = \"invoice-charge\"",
        |cursor, parsed| { store(&mut parsed.contract.compensates, forms::text(cursor, "compensates"),) },
    ),
    field!(
        "evidence_retention",
        Need::Reported,
        "how long ledger and inbox rows are kept",
        "evidence_retention = \"400d\"",
        |cursor, parsed| { store(&mut parsed.contract.evidence_retention, forms::duration(cursor),) },
    ),
    field!(
        "operator",
        Need::Reported,
        "who decides an unknown outcome that stays unknown",
        "operator = \"runbooks/charge.md\"",
        |cursor, parsed| { store(&mut parsed.contract.operator, forms::text_or_path(cursor, "operator"),) },
    ),
    field!(
        "fence",
        Need::Optional,
        "the lease token or version checked at commit",
        "fence = lease.token",
        forms::fence,
    ),
    field!(
        "effect",
        Need::Optional,
        "an id shared by the handlers of one intent",
        "effect = \"invoice-charge\"",
        |cursor, parsed| store(&mut parsed.contract.effect, forms::text(cursor, "effect")),
    ),
    field!("name", Need::Optional, "the handler's name in tables", "name = \"charge an invoice\"", |cursor, parsed| {
        store(&mut parsed.contract.name, forms::text(cursor, "name"))
    },),
    field!("kind", Need::Optional, "what sort of effect it is", "kind = payment", |cursor, parsed| store(
        &mut parsed.contract.kind,
        forms::kind(cursor)
    ),),
    field!(
        "bind",
        Need::Macro,
        "the name under which the body finds the key",
        "bind = charge_key",
        |cursor, parsed| { store(&mut parsed.extras.bind, forms::name(cursor, "bind = charge_key"),) },
    ),
    field!(
        "contract",
        Need::Macro,
        "the constant that holds the contract",
        "contract = CHARGE_CONTRACT",
        |cursor, parsed| { store(&mut parsed.extras.contract, forms::name(cursor, "contract = CHARGE_CONTRACT"),) },
    ),
    Field {
        repeatable: true,
        shape: Shape::Call,
        ..field!(
            "allow",
            Need::Optional,
            "a rule suppressed for this handler",
            "allow(missing_key, reason = \"..\")",
            forms::allow,
        )
    },
    field!(
        "crate",
        Need::Macro,
        "the path of the crate effect-contracts",
        "crate = effect_contracts",
        |cursor, parsed| {
            let path = cursor.path()?;
            parsed.extras.crate_path = Some(path.into_iter().collect());
            Ok(())
        },
    ),
];

fn store<T>(place: &mut Option<T>, value: Result<T, Error>) -> Result<(), Error> {
    *place = Some(value?);
    Ok(())
}

/// All names in code quotes.
pub(crate) fn list() -> String {
    let names: Vec<&str> = FIELDS.iter().map(|field| field.name).collect();
    crate::words::list(&names)
}
