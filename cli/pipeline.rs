//! The stages in order, from texts in memory to the report. No stage here touches the disk.

mod documents;
mod judgement;
mod memory;
mod policy;
mod texts;

pub use judgement::Judgement;
pub use memory::{analyse_texts, check_texts, workspace_of_texts};
pub use policy::policy;
pub use texts::add_texts;

use std::collections::BTreeSet;

use crate::catalog::{self, Catalog};
use crate::config::Config;
use crate::contracts::{self, HandlerContract};
use crate::diff::{Known, Lock, Snapshot};
use crate::docs::Generated;
use crate::findings::{Coverage, Place, Policy, Report, Violation};
use crate::flow::{self, FlowFacts, KeyVerdict};
use crate::guarantee::{self, Guarantee};
use crate::index::FileIndex;
use crate::lower::{self, Selection};
use crate::operations::{self, Operations};
use crate::resolve::{self, FnId, Program};
use crate::rules::{self, Facts, Group};
use crate::source::{Span, Workspace};

/// What is known of documents before they are compared.
static NOTHING_GENERATED: Generated = Generated { files: Vec::new(), fault: None };

/// Everything known about a workspace before rules are asked.
#[derive(Debug)]
pub struct Analysis {
    /// packages, files, texts
    pub workspace: Workspace,
    /// functions, types, constants
    pub program: Program,
    /// what the user configured
    pub config: Config,
    /// knowledge of the outside
    pub catalog: Catalog,
    /// what is declared about each effect
    pub contracts: Vec<HandlerContract>,
    /// what holds for each declared effect, in the order of the contracts
    pub guarantees: Vec<Guarantee>,
    /// dispatches and their keys
    pub flow: FlowFacts,
    /// what happens in which order
    pub operations: Operations,
    /// on how many threads rules may look at it
    pub threads: usize,
}

/// Runs all stages over what was read. The result is the same for any number of threads.
pub fn analyse(
    workspace: Workspace,
    indexes: &[FileIndex],
    config: Config,
    selection: Selection,
    threads: usize,
) -> Analysis {
    let lowered = lower::workspace(&workspace, indexes, selection, threads);
    let program = resolve::resolve(&workspace, lowered, threads);
    let contracts = contracts::collect(&workspace, &program, &config);
    let mut rows = config.rows.clone();
    // what the application says of a word by itself goes before what a contract calls by it
    rows.states.splice(0..0, contracts::state_words(&contracts));
    rows.lookups.extend(contracts::lookups(&program, &contracts));
    let catalog = catalog::built_in().with(rows);
    let flow = flow::analyze(&program, &catalog, &contracts, threads);
    let operations = operations::operations(&workspace, &program, &catalog, &flow, config.scan.dialect);
    let guarantees = guarantee::derive_all(&program, &contracts, &catalog, &flow, &operations);
    Analysis { workspace, program, config, catalog, contracts, guarantees, flow, operations, threads }
}

impl Analysis {
    /// What rules may look at.
    pub fn facts(&self) -> Facts<'_> {
        Facts {
            workspace: &self.workspace,
            program: &self.program,
            config: &self.config,
            catalog: &self.catalog,
            contracts: &self.contracts,
            guarantees: &self.guarantees,
            flow: &self.flow,
            generated: &NOTHING_GENERATED,
            operations: &self.operations,
            threads: self.threads,
        }
    }

    /// Runs all rules and settles what they report.
    pub fn check(&self, policy: &Policy) -> Report {
        self.judge().report(&self.workspace, policy)
    }

    /// Runs all rules.
    pub fn judge(&self) -> Judgement {
        let mut violations = rules::check(&self.facts(), &|rule| rule.group != Group::Docs);
        let generated = self.generated(&violations);
        let facts = Facts { generated: &generated, ..self.facts() };
        violations.extend(rules::check(&facts, &|rule| rule.group == Group::Docs));
        let unlinted = Unlinted::new(&self.program);
        let coverage = self.coverage(&violations, &unlinted);
        violations.retain(|violation| unlinted.leaves(violation));
        Judgement { violations, coverage, allows: policy::of_contracts(self) }
    }

    /// What a review compares.
    pub fn snapshot(&self, lock: Option<&Lock>) -> Snapshot {
        Snapshot::of(Known {
            workspace: &self.workspace,
            program: &self.program,
            catalog: &self.catalog,
            contracts: &self.contracts,
            guarantees: &self.guarantees,
            flow: &self.flow,
            lock,
        })
    }

    fn coverage(&self, violations: &[Violation], unlinted: &Unlinted) -> Coverage {
        // counted before levels and suppressions, which change nothing about what was read
        let unparsed = violations.iter().filter(|violation| match violation.place {
            Place::Source(span) => {
                violation.rule == "unparsed-source" && self.workspace.file(span.file).reported && !unlinted.holds(span)
            }
            Place::Text { .. } => false,
        });
        let declared: BTreeSet<FnId> = self.contracts.iter().map(|contract| contract.function).collect();
        let undeclared = flow::undeclared(&self.program, &self.contracts, &self.flow);
        let undeclared: BTreeSet<FnId> = undeclared.iter().map(|fact| fact.owner(&self.program)).collect();
        let mut coverage = Coverage {
            files: self.workspace.files.len(),
            unparsed: unparsed.count(),
            handlers_declared: declared.len(),
            handlers_undeclared: undeclared.len(),
            unresolved_calls: self.flow.unresolved_calls,
            ..Coverage::default()
        };
        for dispatch in &self.flow.dispatches {
            let function = self.program.function(dispatch.function);
            if function.test || function.example {
                continue;
            }
            match dispatch.key.verdict {
                KeyVerdict::Stable => coverage.keys_proven += 1,
                KeyVerdict::Unproven => coverage.keys_unproven += 1,
                // Of a faulty key a finding tells.
                _ => {}
            }
        }
        coverage
    }
}

/// Where effects are not judged: test code and cargo's example targets.
struct Unlinted(Vec<Span>);

impl Unlinted {
    fn new(program: &Program) -> Self {
        let functions = program.functions.iter();
        let mut spans: Vec<Span> = functions
            .filter(|function| function.test || function.example)
            .map(|function| Span::new(function.file, function.ir.range))
            .collect();
        spans.sort();
        Self(spans)
    }

    /// Whether a violation stands: rules about evidence and about reading the source judge test code, too.
    fn leaves(&self, violation: &Violation) -> bool {
        match violation.place {
            Place::Source(span) => {
                !self.holds(span) || rules::find(violation.rule).is_some_and(|rule| rule.group.reaches_test_code())
            }
            Place::Text { .. } => true,
        }
    }

    /// Functions nest only inside functions of the same kind, so the last one that starts before is the one to ask,
    /// unless it ended: then one around it.
    fn holds(&self, span: Span) -> bool {
        let before = self.0.partition_point(|test| (test.file, test.range.start) <= (span.file, span.range.start));
        let candidates = self.0[..before].iter().rev();
        candidates.take_while(|test| test.file == span.file).any(|test| span.range.end <= test.range.end)
    }
}
