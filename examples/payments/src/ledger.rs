//! The ledger: one line a change, on disk before anybody relies on it.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::gateway::Receipt;

/// What the ledger knows of a charge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ChargeState {
    /// the intent is recorded; something may have been sent
    Prepared,
    /// the outcome is unknown
    Unknown,
    /// the provider has charged
    Settled(Receipt),
    /// the provider has refused
    Declined(String),
    /// the outcome was unknown, and the provider's record decided
    Reconciled(Receipt),
}

impl ChargeState {
    /// Whether nothing more happens.
    pub fn is_final(&self) -> bool {
        !matches!(self, Self::Prepared | Self::Unknown)
    }
}

/// What preparing an intent found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entry {
    /// the intent is new, and this attempt has recorded it
    New,
    /// an earlier attempt has recorded it, and left it in this state
    Existing(ChargeState),
}

/// Why the ledger refuses.
#[derive(Debug)]
pub enum LedgerError {
    /// the same intent with another amount: a mistake of whoever made the command
    Conflict,
    /// a change that is not legal from the present state
    Illegal,
    /// the disk
    Io(io::Error),
}

impl From<io::Error> for LedgerError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// The ledger of charges.
#[derive(Debug)]
pub struct Ledger {
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    file: File,
    rows: BTreeMap<String, Row>,
}

#[derive(Debug)]
struct Row {
    cents: u64,
    state: ChargeState,
}

impl Ledger {
    /// Opens the ledger and reads what earlier runs have written.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).read(true).open(path)?;
        let mut rows = BTreeMap::new();
        for line in BufReader::new(&file).lines() {
            read(&line?, &mut rows);
        }
        let inner = Mutex::new(Inner { file, rows });
        Ok(Self { inner })
    }

    /// Records an intent before anything is sent, or says in which state an earlier attempt has left it.
    pub fn prepare(&self, key: &str, cents: u64) -> Result<Entry, LedgerError> {
        let mut inner = self.lock();
        if let Some(row) = inner.rows.get(key) {
            return if row.cents == cents {
                Ok(Entry::Existing(row.state.clone()))
            } else {
                Err(LedgerError::Conflict)
            };
        }
        inner.append(key, cents, ChargeState::Prepared)?;
        Ok(Entry::New)
    }

    /// Records the outcome of an intent.
    pub fn record(&self, key: &str, state: ChargeState) -> Result<(), LedgerError> {
        let mut inner = self.lock();
        let Some(row) = inner.rows.get(key) else {
            return Err(LedgerError::Illegal);
        };
        if row.state == state {
            return Ok(());
        }
        if row.state.is_final() {
            return Err(LedgerError::Illegal);
        }
        let cents = row.cents;
        inner.append(key, cents, state)?;
        Ok(())
    }

    /// The state of an intent.
    pub fn state(&self, key: &str) -> Option<ChargeState> {
        self.lock().rows.get(key).map(|row| row.state.clone())
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // a panic between disk and memory leaves memory behind, never ahead: what is on disk is read at the next start
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn append(&mut self, key: &str, cents: u64, state: ChargeState) -> io::Result<()> {
        let (word, text) = words(&state);
        let text = text.replace(['\t', '\n', '\r'], " ");
        writeln!(self.file, "{key}\t{cents}\t{word}\t{text}")?;
        self.file.sync_data()?;
        self.rows.insert(key.to_owned(), Row { cents, state });
        Ok(())
    }
}

fn words(state: &ChargeState) -> (&'static str, String) {
    match state {
        ChargeState::Prepared => ("prepared", String::new()),
        ChargeState::Unknown => ("unknown", String::new()),
        ChargeState::Settled(receipt) => ("settled", receipt.0.clone()),
        ChargeState::Declined(reason) => ("declined", reason.clone()),
        ChargeState::Reconciled(receipt) => ("reconciled", receipt.0.clone()),
    }
}

/// Reads a line. A last line that a crash has cut short is no record: nobody has relied on it.
fn read(line: &str, rows: &mut BTreeMap<String, Row>) {
    let mut fields = line.splitn(4, '\t');
    let (Some(key), Some(cents), Some(word), Some(text)) = (fields.next(), fields.next(), fields.next(), fields.next())
    else {
        return;
    };
    let Ok(cents) = cents.parse() else { return };
    let state = match word {
        "prepared" => ChargeState::Prepared,
        "unknown" => ChargeState::Unknown,
        "settled" => ChargeState::Settled(Receipt(text.to_owned())),
        "declined" => ChargeState::Declined(text.to_owned()),
        "reconciled" => ChargeState::Reconciled(Receipt(text.to_owned())),
        _ => return,
    };
    rows.insert(key.to_owned(), Row { cents, state });
}
