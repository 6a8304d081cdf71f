//! What the contract of `mail_receipt` promises, at a relay that fails in every way.

#![allow(clippy::disallowed_methods, reason = "a test may read the disk and start programs")]

use std::cell::{Cell, RefCell};

use effect_contracts::effect_case;
use notifications::{Decision, Journal, MailError, MailState, Receipt, Relay, SendError, decide, mail_receipt};

/// A relay in this process. It compares nothing: every message that it accepts is another mail.
struct Post {
    answer: Cell<Result<(), SendError>>,
    accepts: Cell<bool>,
    delivered: RefCell<Vec<String>>,
}

impl Post {
    fn new(accepts: bool, answer: Result<(), SendError>) -> Self {
        Self { answer: Cell::new(answer), accepts: Cell::new(accepts), delivered: RefCell::default() }
    }
}

impl Relay for Post {
    fn send(&self, message_id: &str, _to: &str, _body: &str) -> Result<(), SendError> {
        if self.accepts.get() {
            self.delivered.borrow_mut().push(message_id.to_owned());
        }
        self.answer.get()
    }
}

const KEY: &str = "receipt/17/mail";

fn receipt() -> Receipt {
    Receipt { invoice: 17, to: "customer@example.com".into(), body: "Thank you.".into() }
}

fn journal() -> (tempfile::TempDir, Journal) {
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::open(&folder.path().join("mails.log")).unwrap();
    (folder, journal)
}

#[effect_case(mail_receipt, delivered_twice)]
#[test]
fn a_second_delivery_sends_nothing() {
    let (folder, journal) = journal();
    let post = Post::new(true, Ok(()));
    assert_eq!(mail_receipt(&post, &journal, &receipt()).unwrap(), MailState::Accepted);
    let journal = Journal::open(&folder.path().join("mails.log")).unwrap();
    assert_eq!(mail_receipt(&post, &journal, &receipt()).unwrap(), MailState::Accepted);
    assert_eq!(*post.delivered.borrow(), [KEY]);
}

#[effect_case(mail_receipt, reconcile_inconclusive)]
#[test]
fn unknown_stays_unknown_until_an_operator_decides() {
    let (_folder, journal) = journal();
    let post = Post::new(true, Err(SendError::Broken));
    for _ in 0..3 {
        let attempt = mail_receipt(&post, &journal, &receipt());
        assert!(matches!(attempt, Err(MailError::Unknown)));
        assert_eq!(journal.state(KEY), Some(MailState::Unknown));
    }
    assert_eq!(*post.delivered.borrow(), [KEY], "one mail, although nobody knows");

    assert!(decide(&journal, 17, Decision::WasAccepted).unwrap());
    assert_eq!(mail_receipt(&post, &journal, &receipt()).unwrap(), MailState::FoundAccepted);
    assert!(!decide(&journal, 17, Decision::Drop).unwrap(), "decided once");
    assert_eq!(post.delivered.borrow().len(), 1);
}

#[effect_case(mail_receipt, killed_after_accept)]
#[test]
fn a_worker_that_dies_after_the_relay_has_accepted_leaves_it_unknown() {
    let (folder, journal) = journal();
    let post = Post::new(true, Ok(()));
    // what a killed worker leaves behind: the mail is out, the journal says prepared
    journal.prepare(KEY).unwrap();
    post.send(KEY, "customer@example.com", "Thank you.").unwrap();
    drop(journal);

    let journal = Journal::open(&folder.path().join("mails.log")).unwrap();
    let attempt = mail_receipt(&post, &journal, &receipt());
    assert!(matches!(attempt, Err(MailError::Unknown)));
    assert_eq!(*post.delivered.borrow(), [KEY]);
}

#[test]
fn a_refusal_is_final() {
    let (_folder, journal) = journal();
    let post = Post::new(false, Err(SendError::Refused));
    assert_eq!(mail_receipt(&post, &journal, &receipt()).unwrap(), MailState::Refused);
    post.answer.set(Ok(()));
    post.accepts.set(true);
    assert_eq!(mail_receipt(&post, &journal, &receipt()).unwrap(), MailState::Refused);
    assert!(post.delivered.borrow().is_empty());
}

#[test]
fn what_was_not_sent_is_sent_by_the_next_attempt() {
    let (_folder, journal) = journal();
    let post = Post::new(false, Err(SendError::NotSent));
    let attempt = mail_receipt(&post, &journal, &receipt());
    assert!(matches!(attempt, Err(MailError::NotSent)));
    post.answer.set(Ok(()));
    post.accepts.set(true);
    assert_eq!(mail_receipt(&post, &journal, &receipt()).unwrap(), MailState::Accepted);
    assert_eq!(*post.delivered.borrow(), [KEY]);
}

#[effect_case(mail_receipt, two_workers_race)]
#[test]
fn a_worker_that_comes_late_does_not_undo_the_outcome() {
    let (_folder, journal) = journal();
    let post = Post::new(true, Ok(()));
    assert_eq!(mail_receipt(&post, &journal, &receipt()).unwrap(), MailState::Accepted);
    // a second worker has seen the row before the outcome was there
    let late = journal.record(KEY, MailState::Unknown).unwrap();
    assert_eq!(late, MailState::Accepted);
    assert_eq!(journal.state(KEY), Some(MailState::Accepted));
}
