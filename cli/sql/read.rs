//! Statements from text, dialects in order.

use super::{Assignment, Condition, Conflict, Dialect, Kind, Set, Statement, foreign, holes, locking};
use sqlparser::ast::{
    self, AssignmentTarget, BinaryOperator, Expr, FromTable, GroupByExpr, ObjectName, OnConflictAction, OnInsert,
    Query, SelectItem, SetExpr, TableFactor, TableObject, TableWithJoins, UnaryOperator, Value,
};
use sqlparser::dialect::{self, GenericDialect, MySqlDialect, PostgreSqlDialect, SQLiteDialect};
use sqlparser::parser::Parser;

/// Longest text that is read.
const MAX_SQL: usize = 64 * 1024;
/// Brackets inside brackets that are read.
const MAX_DEPTH: usize = 100;

/// The statements of a text: the preferred dialect first, then the others. `None` where none reads it.
pub fn read(text: &str, preferred: Option<Dialect>) -> Option<Vec<Statement>> {
    if text.len() > MAX_SQL || is_too_deep(text) {
        return None;
    }
    let text = foreign::numbered(holes::fill(text));
    let parsed = parse(&text, preferred)
        .or_else(|| parse(&locking::limit_first(&text)?, preferred))
        .or_else(|| parse(&locking::of_table(&text)?, preferred))
        .or_else(|| parse(&foreign::plain(&text)?, preferred))?;
    let mut out = Vec::new();
    for statement in &parsed {
        // Placeholders without a number count from the start of each statement.
        statement_of(statement, &mut Counter(0), &mut out);
    }
    Some(out)
}

fn parse(text: &str, preferred: Option<Dialect>) -> Option<Vec<ast::Statement>> {
    let order = [Dialect::Postgres, Dialect::Sqlite, Dialect::Mysql, Dialect::Generic];
    preferred.into_iter().chain(order).find_map(|dialect| {
        let parser: &dyn dialect::Dialect = match dialect {
            Dialect::Postgres => &PostgreSqlDialect {},
            Dialect::Sqlite => &SQLiteDialect {},
            Dialect::Mysql => &MySqlDialect {},
            Dialect::Generic => &GenericDialect {},
        };
        Parser::parse_sql(parser, text).ok()
    })
}

/// Whether brackets nest deeper than the parser's recursion holds. It limits itself for expressions, not for types.
pub(super) fn is_too_deep(text: &str) -> bool {
    let (mut depth, mut before) = (0usize, b' ');
    text.bytes().any(|byte| {
        match byte {
            b'(' | b'[' => depth += 1,
            // of a type such as `ARRAY<INT>`; a comparison stands apart
            b'<' if before.is_ascii_alphabetic() => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            b'>' if before.is_ascii_alphabetic() || before == b'>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        before = byte;
        depth > MAX_DEPTH
    })
}

/// Numbers of placeholders that have none.
struct Counter(usize);

fn statement_of(parsed: &ast::Statement, counter: &mut Counter, out: &mut Vec<Statement>) {
    let mut statement = Statement::default();
    match parsed {
        ast::Statement::Insert(insert) => {
            statement.kind = Kind::Insert;
            statement.table = match &insert.table {
                TableObject::TableName(name) => table_name(name),
                _ => None,
            };
            let alias = insert.table_alias.iter().map(|alias| alias.value.to_lowercase());
            let own: Vec<String> = statement.table.clone().into_iter().chain(alias).collect();
            let columns: Vec<String> = insert.columns.iter().map(|column| column.value.to_lowercase()).collect();
            if let Some(source) = &insert.source {
                with_of(source, counter, out);
                match source.body.as_ref() {
                    SetExpr::Values(values) => {
                        statement.many = values.rows.len() > 1;
                        for (column, value) in columns.iter().zip(values.rows.first().into_iter().flatten()) {
                            let value = set_of(value, column, counter);
                            statement.set.push(Assignment { column: column.clone(), of: None, value });
                        }
                    }
                    SetExpr::Select(select) => {
                        for (column, item) in columns.iter().zip(&select.projection) {
                            if let SelectItem::UnnamedExpr(value) | SelectItem::ExprWithAlias { expr: value, .. } = item
                            {
                                let value = set_of(value, column, counter);
                                statement.set.push(Assignment { column: column.clone(), of: None, value });
                            }
                        }
                        select.from.iter().for_each(|from| tables_of(from, &mut statement.other_tables));
                        let mut asked = Statement::default();
                        conditions(select.selection.as_ref(), counter, &mut asked);
                        // The row that has an id is one.
                        statement.many =
                            !select.from.is_empty() && !asked.conditions.iter().any(|condition| condition.equal);
                    }
                    _ => {}
                }
            }
            assignments(&insert.assignments, &own, counter, &mut statement.set);
            if insert.ignore || insert.or.is_some() {
                statement.conflict = Conflict::Nothing;
            }
            match &insert.on {
                Some(OnInsert::OnConflict(conflict)) => {
                    if let Some(ast::ConflictTarget::Columns(columns)) = &conflict.conflict_target {
                        statement.conflict_target = columns.iter().map(|column| column.value.to_lowercase()).collect();
                    }
                    match &conflict.action {
                        OnConflictAction::DoNothing => statement.conflict = Conflict::Nothing,
                        OnConflictAction::DoUpdate(update) => {
                            statement.conflict = Conflict::Update;
                            assignments(&update.assignments, &own, counter, &mut statement.conflict_set);
                            conditions(update.selection.as_ref(), counter, &mut statement);
                            let own = own.into_iter().chain(["excluded".to_owned()]);
                            own_columns(&mut statement, &own.collect::<Vec<_>>());
                        }
                    }
                }
                Some(OnInsert::DuplicateKeyUpdate(update)) => {
                    statement.conflict = Conflict::Update;
                    assignments(update, &own, counter, &mut statement.conflict_set);
                }
                _ => {}
            }
            statement.returning = returning(insert.returning.as_deref());
        }
        ast::Statement::Update { table, assignments: set, selection, returning: back, .. } => {
            statement.kind = Kind::Update;
            statement.table = first_table(table);
            assignments(set, &names_of(table), counter, &mut statement.set);
            conditions(selection.as_ref(), counter, &mut statement);
            own_columns(&mut statement, &names_of(table));
            statement.returning = returning(back.as_deref());
        }
        ast::Statement::Delete(delete) => {
            statement.kind = Kind::Delete;
            let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) = &delete.from;
            statement.table = from.first().and_then(first_table);
            conditions(delete.selection.as_ref(), counter, &mut statement);
            statement.returning = returning(delete.returning.as_deref());
        }
        ast::Statement::Query(query) => {
            with_of(query, counter, out);
            match query.body.as_ref() {
                SetExpr::Insert(inner) | SetExpr::Update(inner) | SetExpr::Delete(inner) => {
                    return statement_of(inner, counter, out);
                }
                _ => query_of(query, counter, &mut statement),
            }
        }
        ast::Statement::StartTransaction { .. } => statement.kind = Kind::Begin,
        ast::Statement::Commit { .. } => statement.kind = Kind::Commit,
        ast::Statement::Rollback { .. } => statement.kind = Kind::Rollback,
        _ => {}
    }
    out.push(statement);
}

/// Statements that change data inside a `WITH`.
fn with_of(query: &Query, counter: &mut Counter, out: &mut Vec<Statement>) {
    for table in query.with.iter().flat_map(|with| &with.cte_tables) {
        with_of(&table.query, counter, out);
        match table.query.body.as_ref() {
            SetExpr::Insert(inner) | SetExpr::Update(inner) | SetExpr::Delete(inner) => {
                statement_of(inner, counter, out)
            }
            _ => {
                let mut inner = Statement::default();
                query_of(&table.query, counter, &mut inner);
                out.push(inner);
            }
        }
    }
}

fn query_of(query: &Query, counter: &mut Counter, statement: &mut Statement) {
    statement.kind = Kind::Select;
    statement.limit = query.limit_clause.is_some();
    statement.ordered_by = query.order_by.as_ref().and_then(|order| match &order.kind {
        ast::OrderByKind::Expressions(by) => by.first().and_then(|first| column_of(&first.expr)),
        ast::OrderByKind::All(_) => None,
    });
    for lock in &query.locks {
        statement.for_update |= matches!(lock.lock_type, ast::LockType::Update);
        statement.skip_locked |= matches!(lock.nonblock, Some(ast::NonBlock::SkipLocked));
    }
    let SetExpr::Select(select) = query.body.as_ref() else {
        return;
    };
    let mut tables = Vec::new();
    select.from.iter().for_each(|from| tables_of(from, &mut tables));
    for item in &select.projection {
        match item {
            SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => match expr {
                Expr::Exists { subquery, .. } => {
                    let mut inner = Statement::default();
                    query_of(subquery, counter, &mut inner);
                    tables.extend(inner.table.take());
                    tables.append(&mut inner.other_tables);
                    statement.conditions.append(&mut inner.conditions);
                    statement.either.append(&mut inner.either);
                    statement.exists = true;
                }
                Expr::Function(function) if function.name.to_string().eq_ignore_ascii_case("count") => {
                    statement.exists = true
                }
                Expr::Function(function) if is_lock(&function.name) => statement.for_update = true,
                Expr::Function(function) if is_unlock(&function.name) => statement.unlocks = true,
                expr => statement.columns.extend(column_of(expr)),
            },
            _ => statement.columns.push("*".to_owned()),
        }
    }
    if let (Some(selection), GroupByExpr::Expressions(..)) = (&select.selection, &select.group_by) {
        conditions(Some(selection), counter, statement);
    } else {
        conditions(select.selection.as_ref(), counter, statement);
    }
    let mut tables = tables.into_iter();
    statement.table = tables.next();
    statement.other_tables.extend(tables);
}

/// Functions of databases by which a run waits for a lock of its own naming, as `for update` waits for a row.
fn is_lock(name: &ObjectName) -> bool {
    let name = name.to_string().to_lowercase();
    matches!(name.as_str(), "pg_advisory_lock" | "pg_advisory_xact_lock" | "get_lock")
}

fn is_unlock(name: &ObjectName) -> bool {
    let name = name.to_string().to_lowercase();
    matches!(name.as_str(), "pg_advisory_unlock" | "pg_advisory_unlock_all" | "release_lock")
}

fn table_name(name: &ObjectName) -> Option<String> {
    holes::table(name.0.last()?.as_ident()?.value.to_lowercase())
}

fn first_table(table: &TableWithJoins) -> Option<String> {
    let mut tables = Vec::new();
    tables_of(table, &mut tables);
    tables.into_iter().next()
}

fn tables_of(table: &TableWithJoins, out: &mut Vec<String>) {
    for factor in std::iter::once(&table.relation).chain(table.joins.iter().map(|join| &join.relation)) {
        match factor {
            TableFactor::Table { name, .. } => out.extend(table_name(name)),
            TableFactor::NestedJoin { table_with_joins, .. } => tables_of(table_with_joins, out),
            TableFactor::Derived { subquery, .. } => {
                if let SetExpr::Select(select) = subquery.body.as_ref() {
                    select.from.iter().for_each(|from| tables_of(from, out));
                }
            }
            _ => {}
        }
    }
}

/// What a statement may call the table that it changes.
fn names_of(table: &TableWithJoins) -> Vec<String> {
    match &table.relation {
        TableFactor::Table { name, alias, .. } => {
            table_name(name).into_iter().chain(alias.iter().map(|alias| alias.name.value.to_lowercase())).collect()
        }
        _ => Vec::new(),
    }
}

/// Takes the name of the changed table from its columns: only those of joined ones keep one.
fn own_columns(statement: &mut Statement, names: &[String]) {
    let is_own = |of: &mut String| names.contains(of);
    for assignment in statement.set.iter_mut().chain(&mut statement.conflict_set) {
        assignment.of.take_if(is_own);
    }
    for condition in &mut statement.conditions {
        condition.of.take_if(is_own);
    }
}

/// What columns are set to, of a table that may be called so.
fn assignments(parsed: &[ast::Assignment], own: &[String], counter: &mut Counter, out: &mut Vec<Assignment>) {
    for assignment in parsed {
        if let AssignmentTarget::ColumnName(name) = &assignment.target {
            let column = name.0.last().and_then(|part| Some(part.as_ident()?.value.to_lowercase()));
            let Some(column) = column.filter(|column| !holes::is_hole(column)) else {
                let column = changed_hole(&name.0, &assignment.value);
                out.extend(column.map(|column| Assignment {
                    column,
                    of: None,
                    value: Set::Delta { less: false, by: None },
                }));
                continue;
            };
            let value = match set_of(&assignment.value, &column, counter) {
                Set::Expression if keeps_own(&assignment.value, &column, own) => Set::Own,
                value => value,
            };
            let of = name.0.iter().rev().nth(1).and_then(|part| Some(part.as_ident()?.value.to_lowercase()));
            out.push(Assignment { column, of, value });
        }
    }
}

/// A column that only a hole names, and that is changed by a difference: `SET {bin} = {bin} - $1`.
fn changed_hole(name: &[ast::ObjectNamePart], value: &Expr) -> Option<String> {
    let [part] = name else { return None };
    let hole = &part.as_ident()?.value;
    let by_difference = match value {
        Expr::BinaryOp { left, op: BinaryOperator::Plus | BinaryOperator::Minus, .. } => {
            matches!(&**left, Expr::Identifier(own) if own.value == *hole)
        }
        _ => false,
    };
    holes::name(hole).filter(|_| by_difference).map(|name| format!("{{{name}}}"))
}

/// Whether an expression is what a column of the changed table is already, if it is something.
fn keeps_own(expr: &Expr, column: &str, own: &[String]) -> bool {
    let is_own = |expr: &Expr| {
        column_of(expr).is_some_and(|name| name == column) && qualifier_of(expr).is_none_or(|of| own.contains(&of))
    };
    match expr {
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => keeps_own(inner, column, own),
        Expr::Function(function) if is_default(&function.name) => match &function.args {
            ast::FunctionArguments::List(list) => matches!(list.args.first(),
                Some(ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(first))) if is_own(first)),
            _ => false,
        },
        expr => is_own(expr),
    }
}

/// Functions that give the first of their arguments that is something.
fn is_default(name: &ObjectName) -> bool {
    matches!(name.to_string().to_lowercase().as_str(), "coalesce" | "ifnull")
}

fn returning(items: Option<&[SelectItem]>) -> Vec<String> {
    let column = |item: &SelectItem| match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => column_of(expr),
        _ => Some("*".to_owned()),
    };
    items.into_iter().flatten().filter_map(column).collect()
}

/// Conditions joined by `AND`; of alternatives only the columns.
fn conditions(expr: Option<&Expr>, counter: &mut Counter, statement: &mut Statement) {
    let mut stack: Vec<(&Expr, bool)> = expr.map(|expr| (expr, false)).into_iter().collect();
    while let Some((expr, either)) = stack.pop() {
        match expr {
            Expr::BinaryOp { left, op: op @ (BinaryOperator::And | BinaryOperator::Or), right } => {
                let either = either || *op == BinaryOperator::Or;
                stack.push((right, either));
                stack.push((left, either));
            }
            Expr::Nested(inner) => stack.push((inner, either)),
            Expr::InSubquery { subquery, negated: false, .. } if !either => {
                statement.conditions.extend(condition(expr, counter));
                let mut inner = Statement::default();
                query_of(subquery, counter, &mut inner);
                if inner.table == statement.table {
                    statement.picked.append(&mut inner.conditions);
                }
            }
            _ => match (condition(expr, counter), either) {
                (Some(condition), false) => statement.conditions.push(condition),
                (Some(condition), true) => statement.either.push(condition.column),
                (None, _) => {}
            },
        }
    }
}

/// A comparison of a column.
fn condition(expr: &Expr, counter: &mut Counter) -> Option<Condition> {
    let of_column = |column: &Expr, equal, against| {
        Some(Condition { column: column_of(column)?, of: qualifier_of(column), equal, against })
    };
    match expr {
        Expr::BinaryOp { left, op, right } => {
            let equal = matches!(op, BinaryOperator::Eq | BinaryOperator::Spaceship);
            let (column, other) = match (column_of(left), column_of(right)) {
                (Some(_), _) => (left, right),
                (None, Some(_)) => (right, left),
                (None, None) => return None,
            };
            let against = set_of(other, &column_of(column)?, counter);
            of_column(column, equal, against)
        }
        Expr::IsNull(inner) | Expr::IsNotDistinctFrom(inner, _) => of_column(inner, true, Set::Null),
        Expr::IsTrue(inner) | Expr::IsNotFalse(inner) => of_column(inner, true, Set::Truth(true)),
        Expr::IsFalse(inner) | Expr::IsNotTrue(inner) => of_column(inner, true, Set::Truth(false)),
        // `WHERE open AND NOT paid`
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) => of_column(expr, true, Set::Truth(true)),
        Expr::UnaryOp { op: UnaryOperator::Not, expr } => of_column(expr, true, Set::Truth(false)),
        Expr::InList { expr, negated, list } => {
            let column = column_of(expr)?;
            let against = list.first().map_or(Set::Expression, |first| set_of(first, &column, counter));
            of_column(expr, !negated, against)
        }
        Expr::AnyOp { left, right, .. } => {
            let against = set_of(right, &column_of(left)?, counter);
            of_column(left, true, against)
        }
        Expr::InSubquery { expr, negated, .. } => of_column(expr, !negated, Set::Expression),
        _ => None,
    }
}

/// The table or alias in front of a column.
fn qualifier_of(expr: &Expr) -> Option<String> {
    match expr {
        Expr::CompoundIdentifier(parts) => parts.iter().rev().nth(1).map(|name| name.value.to_lowercase()),
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => qualifier_of(inner),
        _ => None,
    }
}

fn column_of(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Identifier(name) => Some(name.value.to_lowercase()).filter(|name| !holes::is_hole(name)),
        Expr::CompoundIdentifier(parts) => parts.last().map(|name| name.value.to_lowercase()),
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => column_of(inner),
        _ => None,
    }
}

fn set_of(expr: &Expr, column: &str, counter: &mut Counter) -> Set {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::Placeholder(text) => Set::Placeholder(number_of(text, counter)),
            Value::Number(text, _) => Set::Number(text.to_string()),
            Value::Boolean(truth) => Set::Truth(*truth),
            Value::Null => Set::Null,
            Value::SingleQuotedString(text) | Value::DoubleQuotedString(text) | Value::EscapedStringLiteral(text) => {
                Set::Text(text.clone())
            }
            _ => Set::Expression,
        },
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => set_of(inner, column, counter),
        Expr::CompoundIdentifier(parts) => match parts.as_slice() {
            [table, _] if table.value.eq_ignore_ascii_case("excluded") => Set::Given,
            _ => Set::Expression,
        },
        Expr::Function(function) => {
            let name = function.name.to_string().to_lowercase();
            match name.as_str() {
                "values" => Set::Given,
                "now" | "current_timestamp" | "clock_timestamp" | "transaction_timestamp" | "statement_timestamp" => {
                    Set::Now
                }
                _ => Set::Expression,
            }
        }
        // `now() - interval '7 days'`
        Expr::BinaryOp { left, op: BinaryOperator::Minus, right }
            if is_interval(right) && set_of(left, column, &mut Counter(0)) == Set::Now =>
        {
            age(right, counter).unwrap_or(Set::Expression)
        }
        Expr::BinaryOp { left, op: op @ (BinaryOperator::Plus | BinaryOperator::Minus), right } => {
            let own = mentions(left, column) || mentions(right, column);
            // Both sides are walked, so that the placeholders behind them keep their numbers.
            let (left, right) = (set_of(left, column, counter), set_of(right, column, counter));
            let differs = |set: &Set| !matches!(set, Set::Null);
            if own && differs(&left) && differs(&right) {
                let by = [&left, &right].into_iter().find_map(|side| match side {
                    Set::Placeholder(number) => Some(*number),
                    _ => None,
                });
                Set::Delta { less: *op == BinaryOperator::Minus, by }
            } else {
                Set::Expression
            }
        }
        Expr::BinaryOp { left, right, .. } => {
            set_of(left, column, counter);
            set_of(right, column, counter);
            Set::Expression
        }
        _ => Set::Expression,
    }
}

fn is_interval(expr: &Expr) -> bool {
    match expr {
        Expr::Interval(_) => true,
        Expr::Function(function) => function.name.to_string().eq_ignore_ascii_case("make_interval"),
        Expr::Nested(inner) => is_interval(inner),
        Expr::BinaryOp { left, op: BinaryOperator::Multiply, right } => is_interval(left) || is_interval(right),
        _ => false,
    }
}

/// How far an interval reaches back: `interval '7 days'`, `make_interval(days => $1)`, `$1 * interval '1 day'`.
fn age(interval: &Expr, counter: &mut Counter) -> Option<Set> {
    match interval {
        Expr::Nested(inner) => age(inner, counter),
        Expr::Interval(interval) => interval_text(interval).map(Set::Age),
        Expr::Function(function) => {
            let ast::FunctionArguments::List(list) = &function.args else {
                return None;
            };
            match list.args.as_slice() {
                [ast::FunctionArg::Named { name, arg: ast::FunctionArgExpr::Expr(number), .. }] => {
                    counted(number, &name.value.to_lowercase(), counter)
                }
                [ast::FunctionArg::ExprNamed { name, arg: ast::FunctionArgExpr::Expr(number), .. }] => {
                    counted(number, &column_of(name)?, counter)
                }
                _ => None,
            }
        }
        Expr::BinaryOp { left, right, .. } => {
            let (unit, number) = if is_interval(left) { (left, right) } else { (right, left) };
            let Some(Set::Age(one)) = age(unit, counter) else {
                return None;
            };
            counted(number, one.strip_prefix("1 ")?, counter)
        }
        _ => None,
    }
}

fn counted(number: &Expr, unit: &str, counter: &mut Counter) -> Option<Set> {
    let unit = match unit {
        "mins" => "minutes",
        "secs" => "seconds",
        unit => unit,
    };
    match set_of(number, "", counter) {
        Set::Placeholder(at) => Some(Set::AgeOf(at, unit.to_owned())),
        Set::Number(number) => Some(Set::Age(format!("{number} {unit}"))),
        _ => None,
    }
}

/// `7 days` of an interval that is fixed.
fn interval_text(interval: &ast::Interval) -> Option<String> {
    let Expr::Value(value) = interval.value.as_ref() else {
        return None;
    };
    let number = match &value.value {
        Value::SingleQuotedString(text) => text.clone(),
        Value::Number(number, _) => number.to_string(),
        _ => return None,
    };
    Some(match &interval.leading_field {
        Some(unit) => format!("{number} {}", unit.to_string().to_lowercase()),
        None => number,
    })
}

/// Whether an expression is the column, perhaps with a default.
fn mentions(expr: &Expr, column: &str) -> bool {
    match expr {
        Expr::Function(function) => is_default(&function.name) && function.to_string().to_lowercase().contains(column),
        expr => column_of(expr).is_some_and(|name| name == column),
    }
}

fn number_of(text: &str, counter: &mut Counter) -> usize {
    match text.trim_start_matches(['$', '?', ':', '@', 'p']).parse::<usize>() {
        Ok(number) => number.saturating_sub(1),
        Err(_) => {
            counter.0 += 1;
            counter.0 - 1
        }
    }
}
