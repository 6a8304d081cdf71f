//! Statements of stores of items: a request is put together by a chain of calls, and what it changes is written in an
//! expression language of its own (`ADD points :points SET last = :last`).

use super::super::walk;
use super::write::{Assigned, Build, Compared, Kind};
use super::{MAX_CHAIN, MAX_COLUMNS, compared, inside, plain, tail};
use crate::flow::eval::Eval;
use crate::flow::events::Usage;
use crate::flow::usage;
use crate::ir::{Body, Expr, ExprId, ExprKind, Literal, LocalId};
use crate::resolve::ValueDef;

/// The statement that a request is which starts here; its parts are set by the calls that follow on it.
pub(super) fn statement(eval: &Eval<'_, '_>, start: ExprId) -> Option<Build> {
    let kind = verb(eval.body, start)?;
    Request::read(eval, start)?.build(eval, kind)
}

/// What becomes of the answer to a request that is sent where it is put together. Where its condition does not hold that is an
/// error, so whoever goes by the error has looked at it.
pub(super) fn usage_of_request(eval: &Eval<'_, '_>, start: ExprId) -> Option<Usage> {
    verb(eval.body, start)?;
    let mut at = start;
    for _ in 0..MAX_CHAIN {
        at = walk::parent(&eval.parents, at)?;
        match &eval.body.expr(at).kind {
            ExprKind::MethodCall(call) if call.name == "send" => break,
            ExprKind::MethodCall(_) => {}
            _ => return None,
        }
    }
    Some(match eval.usage(at) {
        Usage::Checked if !usage::is_passed_over(eval.body, &eval.parents, at) => Usage::Used,
        usage => usage,
    })
}

/// What a call that starts a request does.
fn verb(body: &Body, start: ExprId) -> Option<Kind> {
    match &body.expr(start).kind {
        ExprKind::MethodCall(call) if call.args.is_empty() => match call.name.as_str() {
            "update_item" => Some(Kind::Update),
            "put_item" => Some(Kind::Insert),
            "delete_item" => Some(Kind::Delete),
            "get_item" => Some(Kind::Select),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a call says what a request does to an item, or under which condition.
pub(crate) fn is_told_by(name: &str) -> bool {
    let part = name.strip_prefix("set_").unwrap_or(name);
    matches!(part, "update_expression" | "condition_expression" | "expected" | "attribute_updates")
}

/// What is set on a request.
#[derive(Default)]
struct Request {
    table: Option<String>,
    keys: Vec<(String, ExprId)>,
    items: Vec<(String, ExprId)>,
    names: Vec<(String, String)>,
    values: Vec<(String, ExprId)>,
    update: String,
    condition: String,
}

impl Request {
    /// A request with all that is set on it in this body: in the chain that starts it, and where a local holds it. Of one
    /// that is handed to somebody it is not known what else is set on it.
    fn read(eval: &Eval<'_, '_>, start: ExprId) -> Option<Self> {
        let body = eval.body;
        let mut request = Self::default();
        let mut seen: Vec<LocalId> = Vec::new();
        let mut open = vec![start];
        for _ in 0..MAX_CHAIN {
            let Some(at) = open.pop() else {
                return Some(request);
            };
            let held = match walk::parent(&eval.parents, at).map(|parent| (parent, &body.expr(parent).kind)) {
                Some((parent, ExprKind::MethodCall(next))) if next.receiver == at => {
                    if next.name != "send" {
                        request.take(eval, next.name.as_str(), &next.args);
                        open.push(parent);
                    }
                    continue;
                }
                // `request = request.condition_expression(..)`
                Some((_, &ExprKind::Assign { target, value })) => match body.expr(target).kind {
                    ExprKind::Local(local) if value == at => local,
                    ExprKind::Local(_) if target == at => continue,
                    _ => return None,
                },
                Some((parent, ExprKind::Block(_))) => match bound_to(body, at) {
                    Some(local) => local,
                    None => {
                        open.push(parent);
                        continue;
                    }
                },
                Some((parent, ExprKind::If { .. } | ExprKind::Match { .. })) => {
                    open.push(parent);
                    continue;
                }
                // what the function gives
                Some((_, ExprKind::Return(_))) | None => continue,
                Some(_) => return None,
            };
            if !seen.contains(&held) {
                seen.push(held);
                let uses = |(_, expr): &(usize, &Expr)| matches!(expr.kind, ExprKind::Local(of) if of == held);
                open.extend(body.exprs.iter().enumerate().filter(uses).map(|(id, _)| ExprId(id as u32)));
            }
        }
        None
    }

    fn take(&mut self, eval: &Eval<'_, '_>, name: &str, args: &[ExprId]) {
        let body = eval.body;
        let text = |number: usize| args.get(number).and_then(|&arg| written(eval, inside(body, arg)));
        // `set_condition_expression(Some(text))`
        match (name.strip_prefix("set_").unwrap_or(name), args) {
            ("table_name", &[table]) => self.table = text(0).or_else(|| named(body, inside(body, table))),
            ("key" | "item", &[whole]) => {
                let parts = attributes(eval, inside(body, whole));
                if name == "set_key" { self.keys.extend(parts) } else { self.items.extend(parts) }
            }
            ("expression_attribute_values", &[whole]) => self.values.extend(attributes(eval, inside(body, whole))),
            ("key", &[_, value]) => self.keys.extend(text(0).map(|name| (name, held(body, value)))),
            ("item", &[_, value]) => self.items.extend(text(0).map(|name| (name, held(body, value)))),
            ("expression_attribute_names", &[_, _]) => self.names.extend(text(0).zip(text(1))),
            ("expression_attribute_values", &[_, value]) => {
                self.values.extend(text(0).map(|name| (name, held(body, value))));
            }
            ("update_expression", &[_]) => self.update = text(0).unwrap_or_default(),
            ("condition_expression", &[_]) => self.condition = text(0).unwrap_or_default(),
            _ => {}
        }
    }

    fn build(self, eval: &Eval<'_, '_>, kind: Kind) -> Option<Build> {
        let mut build =
            Build { kind, table: Some(self.table.clone().unwrap_or_else(|| "item".to_owned())), ..Build::default() };
        build.conditions.extend(self.keys.iter().map(|(name, value)| (name.clone(), compared(eval.body, *value))));
        build.set.extend(self.items.iter().map(|(name, value)| (name.clone(), plain(eval.body, *value))));
        if matches!(kind, Kind::Update | Kind::Delete) {
            self.asked(eval.body, &mut build);
        }
        if kind == Kind::Insert {
            // Without a condition an item takes the place of the one that is there.
            let as_new = self.condition.contains("attribute_not_exists");
            // One that is there is replaced where the other alternative holds: `attribute_not_exists(id) OR until < :now`.
            let or_else = spaced(&self.condition).split_whitespace().any(|word| word.eq_ignore_ascii_case("or"));
            build.conflict_nothing = as_new && !or_else;
            build.conflict_update = self.condition.is_empty() || as_new && or_else;
            if build.conflict_update {
                self.asked(eval.body, &mut build);
                build.conflict_set = build.set.iter().map(|(column, _)| (column.clone(), Assigned::PutIn)).collect();
            }
        }
        if kind == Kind::Update {
            let guarded = self.is_guarded();
            for (column, term) in self.changes() {
                let assigned = match term {
                    Term::Delta(value) if guarded => Assigned::Value(value),
                    Term::Delta(value) => Assigned::Delta(value),
                    Term::Value(value) => plain(eval.body, value),
                };
                build.set.push((column, assigned));
            }
            if build.set.is_empty() {
                return None;
            }
        }
        Some(build)
    }

    /// What the condition asks for: comparisons that must hold, and of alternatives the columns.
    fn asked(&self, body: &Body, build: &mut Build) {
        let spaced = spaced(&self.condition);
        let words: Vec<&str> = spaced.split_whitespace().take(8 * MAX_COLUMNS).collect();
        let is = |word: &str, known: &str| word.eq_ignore_ascii_case(known);
        if words.iter().any(|word| is(word, "not")) {
            return;
        }
        let mut depth = 0_usize;
        let mut outer: Vec<bool> = Vec::new();
        for word in &words {
            match *word {
                "(" => depth += 1,
                ")" => depth = depth.saturating_sub(1),
                _ => {}
            }
            outer.push(depth == 0);
        }
        let outside = |at: &usize, known: &str| outer[*at] && is(words[*at], known);
        let places = 0..words.len();
        let all_alternatives = places.clone().any(|at| outside(&at, "or"));
        let ends = places.filter(|at| !all_alternatives && outside(at, "and")).chain([words.len()]);
        let mut from = 0;
        for end in ends {
            let part = &words[from..end];
            from = end + 1;
            if part.iter().any(|word| is(word, "or")) {
                let alternatives = part.split(|word| is(word, "or") || is(word, "and"));
                build
                    .either
                    .extend(alternatives.filter_map(|one| self.comparison(body, one)).map(|(column, _)| column));
            } else {
                build
                    .conditions
                    .extend(part.split(|word| is(word, "and")).filter_map(|one| self.comparison(body, one)));
            }
        }
    }

    /// `#state = :open`, or `attribute_not_exists(done)`, in brackets or not.
    fn comparison(&self, body: &Body, part: &[&str]) -> Option<(String, Compared)> {
        let bare: Vec<&str> = part.iter().copied().filter(|word| !matches!(*word, "(" | ")")).collect();
        match bare[..] {
            ["attribute_not_exists", column] => Some((self.column(column), Compared::Null)),
            [column, op, value] => {
                let value = self.values.iter().find(|(name, _)| name == value)?.1;
                let compared = match op {
                    "=" => compared(body, value),
                    "<" | "<=" => Compared::Other("<", value),
                    ">" | ">=" => Compared::Other(">", value),
                    "<>" => Compared::Other("<>", value),
                    _ => return None,
                };
                Some((self.column(column), compared))
            }
            _ => None,
        }
    }

    /// What the update expression does to which attribute.
    fn changes(&self) -> Vec<(String, Term)> {
        let mut changes = Vec::new();
        let mut clause = "";
        let spaced = self.update.replace(',', " , ").replace('=', " = ").replace('(', " ( ").replace(')', " ) ");
        let words: Vec<&str> = spaced.split_whitespace().take(8 * MAX_COLUMNS).collect();
        // a clause with its parts, which commas outside of brackets divide
        let mut part: Vec<&str> = Vec::new();
        let mut depth = 0_usize;
        for word in words.into_iter().chain(["END"]) {
            let keyword =
                ["SET", "ADD", "REMOVE", "DELETE", "END"].into_iter().find(|known| known.eq_ignore_ascii_case(word));
            match word {
                "(" => depth += 1,
                ")" => depth = depth.saturating_sub(1),
                _ => {}
            }
            if keyword.is_some() || word == "," && depth == 0 {
                changes.extend(self.change(clause, &part));
                part.clear();
                clause = keyword.unwrap_or(clause);
            } else {
                part.push(word);
            }
        }
        changes
    }

    fn change(&self, clause: &str, part: &[&str]) -> Option<(String, Term)> {
        let value = |word: &&&str| self.values.iter().find(|(name, _)| name == **word).map(|(_, value)| *value);
        let first = *part.first()?;
        let column = self.column(first);
        match (clause, part) {
            // Of a set, adding what is in it changes nothing.
            ("ADD", [_, by]) => value(&by).map(|by| (column, Term::Delta(by))),
            ("SET", [_, "=", rest @ ..]) => {
                let by = rest.iter().find_map(|word| value(&word));
                let own = rest.contains(&first);
                let differs = rest.iter().any(|word| matches!(*word, "+" | "-"));
                // the last value: the one in front is what a missing attribute counts as
                let last = rest.iter().rev().find_map(|word| value(&word));
                match own && differs {
                    true => last.map(|by| (column, Term::Delta(by))),
                    false => by.map(|by| (column, Term::Value(by))),
                }
            }
            _ => None,
        }
    }

    /// `#p` by its own name.
    fn column(&self, word: &str) -> String {
        self.names.iter().find(|(name, _)| name == word).map_or_else(|| word.to_owned(), |(_, own)| own.clone())
    }

    /// Whether a condition asks for something that the same request writes, so that it takes place once: a last one, a
    /// version, a set of what was done.
    fn is_guarded(&self) -> bool {
        let asked: Vec<String> = self
            .condition
            .split(|char: char| !(char.is_alphanumeric() || matches!(char, '_' | '#' | ':' | '.')))
            .filter(|word| !word.is_empty())
            .map(|word| self.column(word))
            .collect();
        let spaced = self.update.replace([',', '=', '(', ')'], " ");
        let written: Vec<String> = spaced.split_whitespace().map(|word| self.column(word)).collect();
        let changed: Vec<String> = self
            .changes()
            .into_iter()
            .filter(|(_, term)| matches!(term, Term::Delta(_)))
            .map(|(column, _)| column)
            .collect();
        let attribute = |word: &String| !word.starts_with(':') && written.contains(word);
        let is_set = |word: &String| self.condition.contains("contains") && written.contains(word);
        // What is changed by a difference is a guard itself where it has to be what was read: the version.
        let spaced = self::spaced(&self.condition);
        let words: Vec<&str> = spaced.split_whitespace().collect();
        let alternatives = words.iter().any(|word| word.eq_ignore_ascii_case("or"));
        let is_read = |word: &String| {
            let equal = |part: &[&str]| part[1] == "=" && part[2].starts_with(':') && self.column(part[0]) == *word;
            !alternatives && words.windows(3).any(equal)
        };
        let guards = |word: &String| !changed.contains(word) || is_set(word) || is_read(word);
        asked.iter().filter(|word| attribute(word)).any(guards)
    }
}

/// A condition with spaces around its brackets and signs: `#o=:me`.
fn spaced(condition: &str) -> String {
    let mut spaced = String::with_capacity(condition.len() * 2);
    let is_sign = |char: char| matches!(char, '<' | '>' | '=');
    let mut last = ' ';
    for char in condition.chars() {
        if matches!(char, '(' | ')') || matches!(last, '(' | ')') || is_sign(char) != is_sign(last) {
            spaced.push(' ');
        }
        spaced.push(char);
        last = char;
    }
    spaced
}

/// What an attribute is set to.
enum Term {
    Value(ExprId),
    /// what it was, and this more or less
    Delta(ExprId),
}

/// A text that stands here or in a constant: the start of a chain is met before what follows on it is evaluated.
fn written(eval: &Eval<'_, '_>, id: ExprId) -> Option<String> {
    match eval.types.path(id) {
        Some(ValueDef::Consts(known)) => {
            let [one] = known[..] else { return None };
            let body = eval.engine.program.consts.get(one.0 as usize)?.ir.body.as_deref()?;
            match &body.expr(body.root).kind {
                ExprKind::Literal(Literal::Str(text)) => Some(text.to_string()),
                _ => None,
            }
        }
        _ => eval.quiet_text(id).map(str::to_owned),
    }
}

/// What is in an attribute: `AttributeValue::S(id)`.
fn held(body: &Body, id: ExprId) -> ExprId {
    match &body.expr(walk::original(body, id)).kind {
        ExprKind::Call { callee, args } => match (&body.expr(*callee).kind, &args[..]) {
            (ExprKind::Path(path), &[value]) if tail(path).is_some_and(|(last, _)| matches!(last, "S" | "N" | "B")) => {
                value
            }
            _ => id,
        },
        _ => id,
    }
}

/// The attributes of a map that is written out, or filled in this body: `HashMap::from([(name, value), ..])`,
/// `map.insert(name, value)`.
fn attributes(eval: &Eval<'_, '_>, whole: ExprId) -> Vec<(String, ExprId)> {
    let body = eval.body;
    let pair = |name: ExprId, value: ExprId| Some((written(eval, inside(body, name))?, held(body, value)));
    let list = match &body.expr(walk::original(body, whole)).kind {
        ExprKind::Call { args, .. } if args.len() == 1 => args[0],
        ExprKind::MethodCall(call) if call.args.is_empty() => call.receiver,
        _ => whole,
    };
    let listed = match &body.expr(list).kind {
        ExprKind::Array(pairs) => pairs
            .iter()
            .take(MAX_COLUMNS)
            .filter_map(|&id| match &body.expr(id).kind {
                ExprKind::Tuple(parts) if parts.len() == 2 => pair(parts[0], parts[1]),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    };
    let ExprKind::Local(map) = body.expr(whole).kind else {
        return listed;
    };
    let filled = body.exprs.iter().filter_map(|expr| match &expr.kind {
        ExprKind::MethodCall(call) if call.name == "insert" => match (&body.expr(call.receiver).kind, &call.args[..]) {
            (ExprKind::Local(local), &[name, value]) if *local == map => pair(name, value),
            _ => None,
        },
        _ => None,
    });
    listed.into_iter().chain(filled.take(MAX_COLUMNS)).collect()
}

/// The local that a `let` gives an expression to.
fn bound_to(body: &Body, id: ExprId) -> Option<LocalId> {
    body.locals.iter().position(|local| local.value == Some(id)).map(|at| LocalId(at as u32))
}

/// How the place is called where a table's name is kept: `self.table`, `TABLE`.
fn named(body: &Body, id: ExprId) -> Option<String> {
    match &body.expr(id).kind {
        ExprKind::Field { name, .. } => Some(name.to_string()),
        ExprKind::Path(path) => path.segments.last().map(|last| last.name.as_str().to_lowercase()),
        ExprKind::Local(local) => Some(body.locals[local.0 as usize].name.to_string()),
        ExprKind::MethodCall(call) => named(body, call.receiver),
        _ => None,
    }
}
