//! Statistics over a real repository, for whoever improves inference: `RESOLVE=path cargo test --lib resolve::tests::stats -- --ignored --nocapture`.

#![allow(clippy::disallowed_methods, reason = "a test may read the disk")]

use std::collections::BTreeMap;
use std::time::Instant;

use super::super::{Callee, Ty, resolve};
use crate::ir::ExprKind;
use crate::lower::{self, Selection};

#[test]
#[ignore = "reads the repository named by the variable RESOLVE"]
#[expect(clippy::print_stdout, reason = "the numbers are what it is run for")]
fn statistics() {
    let path = std::env::var("RESOLVE").unwrap();
    let start = Instant::now();
    let (workspace, indexes) = crate::index::read_path(&path).unwrap();
    println!("read+index {:?} files {}", start.elapsed(), workspace.files.len());
    let start = Instant::now();
    let files = lower::workspace(&workspace, &indexes, Selection::WithoutTests, 2);
    println!("lower {:?}", start.elapsed());
    let start = Instant::now();
    let program = resolve(&workspace, files, 2);
    println!("resolve {:?}", start.elapsed());
    let start = Instant::now();
    let callers: usize = program.callers().iter().map(Vec::len).sum();
    println!("callers {:?} edges {callers}", start.elapsed());
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    let mut unknown: BTreeMap<String, usize> = BTreeMap::new();
    let mut samples = Vec::new();
    for info in &program.functions {
        let Some(body) = &info.ir.body else { continue };
        for (at, callee) in &info.types.callees {
            let expr = body.expr(*at);
            let kind = match callee {
                Callee::Functions(list) if list.len() > 8 => "functions >8",
                Callee::Functions(list) if list.len() > 1 => "functions >1",
                Callee::Functions(_) => "functions",
                Callee::External(_) => "external",
                Callee::ExternalMethod { .. } => "external method",
                Callee::UnknownMethod(_) => "unknown method",
                Callee::Constructor(..) => "constructor",
                Callee::Local(_) => "local",
                Callee::Unresolved(_) => "unresolved",
                Callee::Unknown => "unknown",
            };
            *kinds.entry(kind).or_default() += 1;
            let file = workspace.file(info.file);
            let place = file.position(expr.range.start);
            let text = &file.text[expr.range.start as usize..expr.range.end as usize];
            let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
            match callee {
                Callee::UnknownMethod(name) => {
                    let ExprKind::MethodCall(call) = &body.expr(*at).kind else {
                        continue;
                    };
                    // only where it starts: a receiver that is itself an unknown method follows from that
                    if let ExprKind::MethodCall(_) = &body.expr(call.receiver).kind {
                        if matches!(info.types.callee(call.receiver), Some(Callee::UnknownMethod(_))) {
                            continue;
                        }
                    }
                    *unknown.entry(format!(".{name}")).or_default() += 1;
                    samples.push(format!("{}:{}: .{name} in {text:.150}", file.path, place.line));
                }
                Callee::Unresolved(path) => {
                    *unknown.entry(format!("path {path}")).or_default() += 1;
                    samples.push(format!("{}:{}: unresolved {path} in {text:.80}", file.path, place.line));
                }
                _ => {}
            }
        }
    }
    let total: usize = kinds.values().sum();
    for (kind, count) in &kinds {
        println!("{kind:>16} {count:>8} {:5.1} %", *count as f64 * 100.0 / total as f64);
    }
    let exprs: usize = program.functions.iter().map(|f| f.types.exprs.len()).sum();
    let known: usize =
        program.functions.iter().flat_map(|f| &f.types.exprs).filter(|ty| *ty.value() != Ty::Unknown).count();
    println!(
        "expressions {exprs}, typed {:.1} %; functions {}",
        known as f64 * 100.0 / exprs as f64,
        program.functions.len()
    );
    let mut top: Vec<_> = unknown.into_iter().collect();
    top.sort_by_key(|entry| std::cmp::Reverse(entry.1));
    for (name, count) in top.iter().take(40) {
        println!("{count:>6} {name}");
    }
    let step = (samples.len() / 60).max(1);
    for sample in samples.iter().step_by(step) {
        println!("{sample}");
    }
}
