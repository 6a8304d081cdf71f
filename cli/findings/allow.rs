//! Suppressions: which violations they cover, and which of them are faults themselves.

use globset::{GlobBuilder, GlobMatcher};

use super::{AllowEntry, AllowScope, Confidence, Place, Policy, Violation};
use crate::rules;
use crate::source::Workspace;

/// The suppressions of a run, and which of them have covered something.
pub(super) struct Allows<'a> {
    entries: Vec<Entry<'a>>,
    today: Option<&'a str>,
}

struct Entry<'a> {
    allow: &'a AllowEntry,
    file: Option<GlobMatcher>,
    used: bool,
}

impl<'a> Allows<'a> {
    pub(super) fn new(policy: &'a Policy) -> Self {
        let entries = policy.allows.iter().map(|allow| Entry {
            allow,
            file: match &allow.scope {
                AllowScope::File(pattern) => {
                    GlobBuilder::new(pattern).literal_separator(true).build().ok().map(|glob| glob.compile_matcher())
                }
                AllowScope::Handler { .. } | AllowScope::Item(_) => None,
            },
            used: false,
        });
        Self { entries: entries.collect(), today: policy.today.as_deref() }
    }

    /// Whether a suppression that has not expired covers the violation. All that do count as used.
    pub(super) fn cover(&mut self, violation: &Violation, file: &str) -> bool {
        let mut covered = false;
        for entry in &mut self.entries {
            if entry.allow.rule == violation.rule && entry.reaches(violation, file) {
                entry.used = true;
                covered |= !expired(entry.allow, self.today);
            }
        }
        covered
    }

    /// What is wrong with the suppressions themselves.
    pub(super) fn faults(&self, workspace: &Workspace) -> Vec<Violation> {
        self.entries.iter().filter_map(|entry| fault(entry, self.today, workspace)).collect()
    }
}

impl Entry<'_> {
    fn reaches(&self, violation: &Violation, file: &str) -> bool {
        match &self.allow.scope {
            AllowScope::Handler { item, path } => {
                let inside = match &violation.place {
                    Place::Source(span) => {
                        span.file == item.file
                            && span.range.start >= item.range.start
                            && span.range.end <= item.range.end
                    }
                    Place::Text { .. } => false,
                };
                inside || violation.handler.as_deref() == Some(path)
            }
            AllowScope::Item(item) => violation.handler.as_deref().is_some_and(|handler| item_covers(item, handler)),
            AllowScope::File(name) => name == file || self.file.as_ref().is_some_and(|glob| glob.is_match(file)),
        }
    }
}

/// Whether an item path of the configuration is the item or a module or type around it.
fn item_covers(item: &str, handler: &str) -> bool {
    let below =
        |path: &str, item: &str| path.strip_prefix(item).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"));
    match item.strip_prefix("crate::") {
        Some(item) => handler.split_once("::").is_some_and(|(_, path)| below(path, item)),
        None => below(handler, item),
    }
}

/// Dates are `YYYY-MM-DD`, whose order as texts is their order in time.
fn expired(allow: &AllowEntry, today: Option<&str>) -> bool {
    match (&allow.until, today) {
        (Some(until), Some(today)) => until.as_str() < today,
        _ => false,
    }
}

fn fault(entry: &Entry<'_>, today: Option<&str>, workspace: &Workspace) -> Option<Violation> {
    let allow = entry.allow;
    let handler = match &allow.scope {
        AllowScope::Handler { path, .. } => Some(path.clone()),
        AllowScope::Item(_) | AllowScope::File(_) => None,
    };
    let violation = |rule, message, help, mut detail: Vec<(&'static str, String)>| {
        detail.insert(0, ("allowed", allow.rule.clone()));
        Some(Violation {
            rule,
            confidence: Confidence::Certain,
            message,
            help,
            place: allow.place.clone(),
            path: Vec::new(),
            handler: handler.clone(),
            detail,
        })
    };
    if !rules::is_known(&allow.rule) {
        let (message, help) = unknown_rule(&allow.rule, "the suppression covers nothing");
        return violation("unknown-rule", message, help, Vec::new());
    }
    if expired(allow, today) {
        let until = allow.until.clone().unwrap_or_default();
        let who = allow.owner.as_ref().map_or_else(String::new, |owner| format!(", and {owner} answers for it"));
        return violation(
            "expired-allow",
            format!("the suppression of `{}` ended on {until}{who}, so it covers nothing any more", allow.rule),
            "fix what it covered and remove it, or decide anew and set a later `until`".to_owned(),
            vec![("until", until)],
        );
    }
    // a rule that this build does not check can neither use nor leave unused its suppressions
    if entry.used || rules::find(&allow.rule).is_none() || !judged(entry, workspace) {
        return None;
    }
    violation(
        "unused-allow",
        format!("nothing here violates `{}`, so a later fault would pass unseen", allow.rule),
        "remove the suppression".to_owned(),
        Vec::new(),
    )
}

/// Whether this run has judged all that the suppression could cover: it says nothing of packages that it leaves out.
fn judged(entry: &Entry<'_>, workspace: &Workspace) -> bool {
    if workspace.packages.iter().all(|package| package.reported) {
        return true;
    }
    match &entry.allow.scope {
        AllowScope::Handler { item, .. } => workspace.file(item.file).reported,
        AllowScope::Item(item) => {
            let krate = item.split("::").next().unwrap_or(item);
            let reported = workspace.packages.iter().filter(|package| package.reported);
            let mut targets = reported.flat_map(|package| &package.targets);
            targets.any(|target| target.crate_name == krate)
        }
        AllowScope::File(name) => {
            let matches = |path: &str| name == path || entry.file.as_ref().is_some_and(|glob| glob.is_match(path));
            let mut files = workspace.files.iter().filter(|file| matches(&file.path)).peekable();
            files.peek().is_some() && files.all(|file| file.reported)
        }
    }
}

/// The words for a rule name that no rule has.
pub(super) fn unknown_rule(name: &str, consequence: &str) -> (String, String) {
    let help = match rules::nearest(name) {
        Some(near) => format!("did you mean `{near}`? `cargo effects rules` lists all rules"),
        None => "`cargo effects rules` lists all rules".to_owned(),
    };
    (format!("no rule is named `{name}`, so {consequence}"), help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_covers_itself_and_what_is_below() {
        assert!(item_covers("shop::admin", "shop::admin"));
        assert!(item_covers("shop::admin", "shop::admin::resend"));
        assert!(item_covers("crate::admin", "shop::admin::resend"));
        assert!(!item_covers("shop::admin", "shop::administration"));
        assert!(!item_covers("shop::admin::resend", "shop::admin"));
        assert!(!item_covers("crate::shop", "shop::admin"));
    }
}
