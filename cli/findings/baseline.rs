//! The baseline: findings that a team has taken note of, so that only later ones gate a change.
//!
//! In: the text of the baseline file, or a report. Out: known fingerprints, or the text. The file names rule, file and
//! handler for its readers; only the fingerprint is compared.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde::Deserialize;

use super::Report;

/// Findings of an earlier run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    entries: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    rule: String,
    file: String,
    #[serde(default)]
    handler: Option<String>,
    fingerprint: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    version: u32,
    #[serde(default)]
    finding: Vec<Entry>,
}

impl Baseline {
    /// Reads the file's text; the error says what is wrong with it and where.
    pub fn parse(text: &str) -> Result<Self, String> {
        let document: Document = toml::from_str(text).map_err(|error| error.to_string())?;
        if document.version != 1 {
            return Err(format!(
                "the baseline has version {}, and this tool reads version 1; write it anew",
                document.version
            ));
        }
        Ok(Self { entries: document.finding })
    }

    /// The findings of a report.
    pub fn of(report: &Report) -> Self {
        let findings = report.findings.iter();
        Self {
            entries: findings
                .map(|finding| Entry {
                    rule: finding.rule.name.to_owned(),
                    file: finding.at.file.clone(),
                    handler: finding.handler.clone(),
                    fingerprint: finding.fingerprint.clone(),
                })
                .collect(),
        }
    }

    /// The file's text. Sorted by what people look for, so that a new entry changes few lines.
    pub fn text(&self) -> String {
        let mut entries: Vec<_> = self.entries.iter().collect();
        entries.sort_by_key(|entry| (&entry.file, &entry.handler, &entry.rule, &entry.fingerprint));
        let mut text = String::from(
            "# Written by `cargo effects baseline`; known findings for `check --fail-on-new`.\nversion = 1\n",
        );
        for entry in entries {
            let _ = writeln!(text, "\n[[finding]]\nrule = {}\nfile = {}", quoted(&entry.rule), quoted(&entry.file));
            if let Some(handler) = &entry.handler {
                let _ = writeln!(text, "handler = {}", quoted(handler));
            }
            let _ = writeln!(text, "fingerprint = {}", quoted(&entry.fingerprint));
        }
        text
    }

    /// What is compared.
    pub fn fingerprints(&self) -> BTreeSet<String> {
        self.entries.iter().map(|entry| entry.fingerprint.clone()).collect()
    }

    /// Takes over what an earlier baseline says of files that this run did not judge.
    pub fn keep(&mut self, earlier: Self, judged: &dyn Fn(&str) -> bool) {
        let others = earlier.entries.into_iter().filter(|entry| !judged(&entry.file));
        self.entries.extend(others);
    }

    /// The entries of judged files that no finding of the report has, in words.
    pub fn stale(&self, report: &Report, judged: &dyn Fn(&str) -> bool) -> Vec<String> {
        let present: BTreeSet<&str> = report.findings.iter().map(|finding| finding.fingerprint.as_str()).collect();
        let stale =
            self.entries.iter().filter(|entry| judged(&entry.file) && !present.contains(entry.fingerprint.as_str()));
        stale
            .map(|entry| match &entry.handler {
                Some(handler) => format!("{} in {handler} ({})", entry.rule, entry.file),
                None => format!("{} ({})", entry.rule, entry.file),
            })
            .collect()
    }
}

/// A TOML basic string.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let entry = |file: &str, handler: Option<&str>| Entry {
            rule: "missing-key".into(),
            file: file.into(),
            handler: handler.map(str::to_owned),
            fingerprint: format!("f{file}"),
        };
        let baseline =
            Baseline { entries: vec![entry("a \"b\" \\ \u{7f}\n.rs", None), entry("b.rs", Some("shop::charge"))] };
        assert_eq!(Baseline::parse(&baseline.text()), Ok(baseline.clone()));
        assert_eq!(baseline.stale(&Report::default(), &|_| true).len(), 2);
        let stale = baseline.stale(&Report::default(), &|file| file == "b.rs");
        assert_eq!(stale, ["missing-key in shop::charge (b.rs)"]);
        let mut present = Baseline::default();
        present.keep(baseline, &|file| file == "b.rs");
        assert_eq!(present.entries.len(), 1);
    }

    #[test]
    fn faults_are_named() {
        assert!(Baseline::parse("version = 2").is_err_and(|error| error.contains("version 2")));
        assert!(Baseline::parse("version = 1\nfindings = []").is_err_and(|error| error.contains("findings")));
        assert!(Baseline::parse("version =").is_err());
    }
}
