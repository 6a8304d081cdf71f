//! Other people's code, where a folder of it is at hand: `LOWER_CORPUS=folder cargo test -p cargo-effects corpus`.

#![allow(clippy::disallowed_methods, reason = "a test may read the disk")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::index::{ItemKind, index};
use crate::ir::{Body, ExprKind, FileIr, Function, Items};
use crate::lower::{STACK, Selection};
use crate::source::FileId;

#[derive(Default)]
struct Totals {
    files: usize,
    bytes: usize,
    declared: usize,
    functions: usize,
    opaque: usize,
    exprs: usize,
    weight: usize,
    macros: BTreeMap<String, (usize, usize)>,
    unknown: BTreeMap<&'static str, usize>,
    problems: BTreeMap<String, (usize, String)>,
    slowest: (Duration, String),
}

#[test]
#[expect(clippy::print_stderr, reason = "the numbers are what one runs this for")]
#[expect(clippy::disallowed_methods, reason = "the folder is named by the environment and read from disk")]
fn corpus() {
    let Ok(folder) = std::env::var("LOWER_CORPUS") else {
        return;
    };
    let files: Vec<_> = walkdir::WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .filter_map(Result::ok)
        .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "rs"))
        .collect();
    let next = AtomicUsize::new(0);
    let totals = Mutex::new(Totals::default());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            let work = || {
                while let Some(entry) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Ok(text) = std::fs::read_to_string(entry.path()) {
                        one(entry.path(), &text, &totals);
                    }
                }
            };
            std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).unwrap();
        }
    });
    let totals = totals.into_inner().unwrap();
    eprintln!(
        "{} files, {} bytes, {} functions declared, {} lowered, {} without a readable body, {} expressions, {} bytes of them ({:.2} x source)",
        totals.files,
        totals.bytes,
        totals.declared,
        totals.functions,
        totals.opaque,
        totals.exprs,
        totals.weight,
        totals.weight as f64 / totals.bytes.max(1) as f64,
    );
    eprintln!("slowest: {:?}", totals.slowest);
    let mut macros: Vec<_> = totals.macros.into_iter().filter(|(_, (_, incomplete))| *incomplete > 0).collect();
    macros.sort_by_key(|(_, (_, incomplete))| std::cmp::Reverse(*incomplete));
    for (name, (all, incomplete)) in macros.iter().take(40) {
        eprintln!("{incomplete} of {all} {name}! incomplete");
    }
    eprintln!("{:?}", totals.unknown);
    let mut problems: Vec<_> = totals.problems.into_iter().collect();
    problems.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    for (message, (count, example)) in problems.iter().take(60) {
        eprintln!("{count} x {message}: {example}");
    }
    assert!(totals.functions as f64 >= 0.99 * totals.declared as f64);
}

fn one(path: &Path, text: &str, totals: &Mutex<Totals>) {
    let index = index(text);
    let started = Instant::now();
    let ir = crate::lower::file(FileId(0), text, &index, Selection::All);
    let taken = started.elapsed();
    let mut totals = totals.lock().unwrap();
    totals.files += 1;
    totals.bytes += text.len();
    if taken > totals.slowest.0 {
        totals.slowest = (taken, path.display().to_string());
    }
    totals.declared += declared(&index);
    for problem in &ir.problems {
        let line = text[..problem.range.start as usize].matches('\n').count() + 1;
        // the same fault at different names is one kind
        let kind: String = problem.message.split('`').step_by(2).collect::<Vec<_>>().join("_");
        let entry = totals.problems.entry(kind).or_insert((0, String::new()));
        entry.0 += 1;
        if entry.1.is_empty() {
            entry.1 = format!("{}:{line} {}", path.display(), problem.message);
        }
    }
    file(&ir, text, &mut totals);
}

fn file(ir: &FileIr, text: &str, totals: &mut Totals) {
    for module in &ir.modules {
        items(&module.items, text, totals);
    }
}

fn items(items: &Items, text: &str, totals: &mut Totals) {
    let impls = items.impls.iter().chain(items.macro_rules.iter().flat_map(|rules| &rules.impls));
    let functions = items.functions.iter();
    let functions = functions.chain(impls.flat_map(|block| &block.functions));
    for function in functions.chain(items.traits.iter().flat_map(|block| &block.functions)) {
        one_function(function, text, totals);
    }
    for constant in &items.consts {
        if let Some(value) = &constant.body {
            body(value, text, totals);
        }
    }
}

fn one_function(function: &Function, text: &str, totals: &mut Totals) {
    if function.closure.is_none() {
        totals.functions += 1;
    }
    if let Some(value) = &function.body {
        totals.opaque += usize::from(matches!(value.expr(value.root).kind, ExprKind::Opaque(_)));
        body(value, text, totals);
    }
    if let Some(inner) = &function.inner {
        items(inner, text, totals);
    }
}

fn body(body: &Body, text: &str, totals: &mut Totals) {
    totals.exprs += body.exprs.len();
    totals.weight += size_of::<Body>()
        + body.exprs.len() * size_of::<crate::ir::Expr>()
        + body.pats.len() * size_of::<crate::ir::Pat>()
        + body.locals.len() * size_of::<crate::ir::Local>();
    for expr in &body.exprs {
        assert!(
            expr.range.start <= expr.range.end
                && text.get(expr.range.start as usize..expr.range.end as usize).is_some()
        );
        totals.weight += boxed(&expr.kind);
        match &expr.kind {
            ExprKind::Macro(call) => {
                let name = call.path.segments.last().map_or("", |segment| segment.name.as_str());
                let entry = totals.macros.entry(name.to_owned()).or_default();
                entry.0 += 1;
                entry.1 += usize::from(!call.complete);
            }
            ExprKind::Opaque(reason) => *totals.unknown.entry(reason).or_default() += 1,
            _ => {}
        }
    }
}

/// Bytes behind an expression's boxes, roughly.
fn boxed(kind: &ExprKind) -> usize {
    let path = |path: &crate::ir::PathIr| {
        size_of::<crate::ir::PathIr>() + path.segments.capacity() * size_of::<crate::ir::Segment>()
    };
    match kind {
        ExprKind::Path(inner) => path(inner),
        ExprKind::Call { args, .. } => args.len() * 4,
        ExprKind::MethodCall(call) => size_of::<crate::ir::MethodCall>() + call.args.len() * 4,
        ExprKind::Struct(literal) => 32 + path(&literal.path) + literal.fields.len() * 8,
        ExprKind::Block(block) => {
            size_of::<crate::ir::Block>() + block.statements.len() * size_of::<crate::ir::Statement>()
        }
        ExprKind::Match { arms, .. } => arms.len() * size_of::<crate::ir::Arm>(),
        ExprKind::Closure(closure) => size_of::<crate::ir::Closure>() + closure.params.len() * 32,
        ExprKind::Format(call) => size_of::<crate::ir::FormatCall>() + call.values.len() * 4,
        ExprKind::Macro(call) => size_of::<crate::ir::MacroCall>() + call.args.len() * 4,
        _ => 0,
    }
}

/// Functions that should be lowered: not those in templates, definitions of macros, or languages of macros.
fn declared(index: &crate::index::FileIndex) -> usize {
    let functions = index.items.iter().filter(|item| item.kind == ItemKind::Fn);
    let real = functions.filter(|item| {
        let mut parent = item.parent;
        while let Some(around) = parent {
            let around = &index.items[around as usize];
            if matches!(around.kind, ItemKind::MacroRules | ItemKind::MacroCall) {
                return false;
            }
            parent = around.parent;
        }
        true
    });
    real.count()
}
