//! The journal of mails: one line a change, on disk before anybody relies on it.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What the journal knows of a mail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MailState {
    /// about to be sent
    Prepared,
    /// certainly not sent: an attempt may send it
    NotSent,
    /// nobody knows whether it was accepted
    Unknown,
    /// the relay has accepted it
    Accepted,
    /// the relay has refused it
    Refused,
    /// an operator has found out that it was accepted
    FoundAccepted,
}

impl MailState {
    const ALL: [(Self, &'static str); 6] = [
        (Self::Prepared, "prepared"),
        (Self::NotSent, "not_sent"),
        (Self::Unknown, "unknown"),
        (Self::Accepted, "accepted"),
        (Self::Refused, "refused"),
        (Self::FoundAccepted, "found_accepted"),
    ];

    /// Whether nothing more happens.
    pub fn is_final(self) -> bool {
        !matches!(self, Self::Prepared | Self::NotSent | Self::Unknown)
    }

    fn word(self) -> &'static str {
        Self::ALL.iter().find(|(state, _)| *state == self).map_or("", |(_, word)| word)
    }

    fn parse(word: &str) -> Option<Self> {
        let found = Self::ALL.iter().find(|(_, known)| *known == word);
        found.map(|(state, _)| *state)
    }
}

/// What preparing a mail found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Entry {
    /// nothing was sent yet, and this attempt alone may send
    New,
    /// an earlier attempt has recorded it, and left it in this state
    Existing(MailState),
}

/// The journal.
#[derive(Debug)]
pub struct Journal {
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    file: File,
    states: BTreeMap<String, MailState>,
}

impl Journal {
    /// Opens the journal and reads what earlier runs have written.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).read(true).open(path)?;
        let mut states = BTreeMap::new();
        for line in BufReader::new(&file).lines() {
            let line = line?;
            // a last line that a crash has cut short is no record
            if let Some((key, state)) = line.split_once('\t')
                && let Some(state) = MailState::parse(state)
            {
                states.insert(key.to_owned(), state);
            }
        }
        let inner = Mutex::new(Inner { file, states });
        Ok(Self { inner })
    }

    /// Records a mail before it is sent, or says in which state an earlier attempt has left it.
    pub fn prepare(&self, key: &str) -> io::Result<Entry> {
        let mut inner = self.lock();
        match inner.states.get(key) {
            None | Some(MailState::NotSent) => {
                inner.append(key, MailState::Prepared)?;
                Ok(Entry::New)
            }
            Some(state) => Ok(Entry::Existing(*state)),
        }
    }

    /// Records what became of a mail, and returns what is true of it then: a final state stays as it is.
    pub fn record(&self, key: &str, state: MailState) -> io::Result<MailState> {
        let mut inner = self.lock();
        match inner.states.get(key) {
            Some(present) if present.is_final() => Ok(*present),
            _ => {
                inner.append(key, state)?;
                Ok(state)
            }
        }
    }

    /// The state of a mail.
    pub fn state(&self, key: &str) -> Option<MailState> {
        self.lock().states.get(key).copied()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn append(&mut self, key: &str, state: MailState) -> io::Result<()> {
        writeln!(self.file, "{key}\t{}", state.word())?;
        self.file.sync_data()?;
        self.states.insert(key.to_owned(), state);
        Ok(())
    }
}
