//! What is unique in the tables of a workspace: by its migrations, by the statements in its code that create tables, and by
//! what macros and models declare.

use rustc_hash::FxHashSet;

use super::migrated;
use crate::ir::{Body, ExprKind, Literal};
use crate::resolve::Program;
use crate::source::Workspace;
use crate::sql::Schema;

/// What is known of tables.
pub(super) fn of(workspace: &Workspace, program: &Program) -> Schema {
    let migrations = workspace.texts.iter().filter(|(path, _)| path.ends_with(".sql")).map(|(_, text)| &**text);
    let functions = program.functions.iter().filter(|function| !function.test);
    let bodies = functions.filter_map(|function| function.ir.body.as_deref());
    let constants = program.consts.iter().filter_map(|constant| constant.ir.body.as_deref());
    let written = bodies.chain(constants).flat_map(literals).filter(|text| is_definition(text));
    // A migration that the code takes in stands there as well.
    let mut read = FxHashSet::default();
    let mut schema = Schema::collect(migrations.chain(written).filter(|text| read.insert(*text)));
    let functions = program.functions.iter().filter(|function| !function.test);
    let mut made = migrated::Unique::new();
    functions.filter_map(|function| function.ir.body.as_deref()).for_each(|body| migrated::collect(body, &mut made));
    for (name, unique) in &made {
        // Queries may name it by the module of its model.
        let models = program.tables.iter().filter(|table| *table.ir.name == **name);
        let modules = models.filter_map(|table| Some(table.module.as_ref()?.as_str()));
        for name in modules.chain([name.as_str()]) {
            schema.declare(name, unique.iter().map(Vec::as_slice));
        }
    }
    for table in &program.tables {
        let names = [Some(&*table.ir.name), table.module.as_ref().map(|module| module.as_str())];
        for name in names.into_iter().flatten() {
            schema.declare(name, table.ir.unique.iter().map(Vec::as_slice));
        }
    }
    schema
}

fn literals(body: &Body) -> impl Iterator<Item = &str> {
    body.exprs.iter().filter_map(|expr| match &expr.kind {
        ExprKind::Literal(Literal::Str(text)) => Some(&**text),
        _ => None,
    })
}

/// Whether a text may be a statement that makes a table, or something unique in one.
fn is_definition(text: &str) -> bool {
    text.contains('(') && {
        let text = text.to_ascii_lowercase();
        text.contains("create ") && text.contains("table ") || text.contains(" unique")
    }
}
