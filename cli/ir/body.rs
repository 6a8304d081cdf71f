//! Bodies: arenas of expressions and patterns, in evaluation order where that is fixed.

use super::{Name, PathIr, TypeIr};
use crate::source::TextRange;

/// An expression of a [`Body`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct ExprId(pub u32);

/// A pattern of a [`Body`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PatId(pub u32);

/// A local variable of a [`Body`]: one number for each binding occurrence (or-patterns share one).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LocalId(pub u32);

/// The body of a function or constant, closures in it included.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// expressions
    pub exprs: Vec<Expr>,
    /// patterns
    pub pats: Vec<Pat>,
    /// local variables
    pub locals: Vec<Local>,
    /// the value; an opaque expression where lowering failed
    pub root: ExprId,
}

impl Body {
    /// The expression behind an id.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    /// The pattern behind an id.
    pub fn pat(&self, id: PatId) -> &Pat {
        &self.pats[id.0 as usize]
    }

    /// The statements of all blocks.
    pub fn statements(&self) -> impl Iterator<Item = &Statement> {
        let blocks = self.exprs.iter().filter_map(|expr| match &expr.kind {
            ExprKind::Block(block) => Some(&block.statements),
            _ => None,
        });
        blocks.flatten()
    }

    /// What a local is bound to where it is declared.
    pub fn bound(&self, local: LocalId) -> Option<ExprId> {
        self.locals[local.0 as usize].value
    }
}

/// A local variable.
#[derive(Clone, Debug)]
pub struct Local {
    /// its name
    pub name: Name,
    /// where it is bound
    pub range: TextRange,
    /// what a `let` of its own gives it; none where it is a part of a pattern, a parameter, or set later
    pub value: Option<ExprId>,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// what it is
    pub kind: ExprKind,
    /// where
    pub range: TextRange,
}

/// What an expression is. References (`&x`, `&mut x`), parentheses and `unsafe` blocks are dropped.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// a literal
    Literal(Literal),
    /// a local variable, parameters and `self` included
    Local(LocalId),
    /// any other path
    Path(Box<PathIr>),
    /// `f(a, b)`
    Call {
        /// what is called
        callee: ExprId,
        /// arguments
        args: Box<[ExprId]>,
    },
    /// `x.f::<T>(a, b)`
    MethodCall(Box<MethodCall>),
    /// `x.f`, `x.0`
    Field {
        /// of what
        base: ExprId,
        /// which
        name: Name,
    },
    /// `x[i]`
    Index {
        /// of what
        base: ExprId,
        /// which
        index: ExprId,
    },
    /// `P { a: b, ..rest }`
    Struct(Box<StructExpr>),
    /// `json!({ … })` and other maps written out: entries by key
    Map(Box<[(MapKey, ExprId)]>),
    /// `(a, b)`
    Tuple(Box<[ExprId]>),
    /// `[a, b]`, `vec![a, b]`
    Array(Box<[ExprId]>),
    /// `[a; n]`, `vec![a; n]`
    Repeat {
        /// element
        value: ExprId,
        /// count
        count: ExprId,
    },
    /// a block
    Block(Box<Block>),
    /// `if c { … } else { … }`; `c` may hold [`ExprKind::Let`]
    If {
        /// condition
        condition: ExprId,
        /// taken when true
        then: ExprId,
        /// taken otherwise
        otherwise: Option<ExprId>,
    },
    /// `let P = e` as a condition
    Let {
        /// pattern
        pat: PatId,
        /// value
        value: ExprId,
    },
    /// `match e { … }`; `matches!` is one with arms that yield `true` and `false`
    Match {
        /// scrutinee
        value: ExprId,
        /// arms
        arms: Box<[Arm]>,
    },
    /// `loop`, `while`, `for`
    Loop(Box<Loop>),
    /// a closure
    Closure(Box<Closure>),
    /// `e.await`
    Await(ExprId),
    /// `e?`
    Try(ExprId),
    /// `*e`
    Deref(ExprId),
    /// `!e`
    Not(ExprId),
    /// `-e`
    Neg(ExprId),
    /// `a + b`, `a && b`, `a == b` …
    Binary {
        /// operator as written
        op: BinaryOp,
        /// left
        left: ExprId,
        /// right
        right: ExprId,
    },
    /// `a = b`
    Assign {
        /// place
        target: ExprId,
        /// value
        value: ExprId,
    },
    /// `a += b`
    AssignOp {
        /// operator without `=`
        op: BinaryOp,
        /// place
        target: ExprId,
        /// value
        value: ExprId,
    },
    /// `e as T`
    Cast {
        /// value
        value: ExprId,
        /// type
        ty: Box<TypeIr>,
    },
    /// `a..b`
    Range {
        /// first
        start: Option<ExprId>,
        /// end
        end: Option<ExprId>,
    },
    /// `return e` (also what `bail!`, `ensure!` become: an `Err` call in a return)
    Return(Option<ExprId>),
    /// `break 'l e`
    Break {
        /// label
        label: Option<Name>,
        /// value
        value: Option<ExprId>,
    },
    /// `continue 'l`
    Continue {
        /// label
        label: Option<Name>,
    },
    /// `format!`, `println!`, `info!`, `write!`, `anyhow!`, `panic!` …: a template with arguments
    Format(Box<FormatCall>),
    /// `select!` (first future wins) or `join!`, `try_join!` (all)
    Concurrent(Box<Concurrent>),
    /// any other macro invocation in expression position: what could be read of its arguments
    Macro(Box<MacroCall>),
    /// an inner item, an empty expression, something the lowering does not know
    Opaque(&'static str),
}

/// A literal.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// `"…"`, `r"…"`, `c"…"`: the value
    Str(Box<str>),
    /// `b"…"`
    Bytes(Box<[u8]>),
    /// an integer that fits (sixteen bytes here would make every expression half as large again)
    Int(i64),
    /// a float, or an integer that does not fit, as written
    Float(Box<str>),
    /// a boolean
    Bool(bool),
    /// `'c'` or `b'c'`
    Char(char),
}

/// `receiver.name::<T>(args)`
#[derive(Clone, Debug)]
pub struct MethodCall {
    /// receiver
    pub receiver: ExprId,
    /// method
    pub name: Name,
    /// the name's place
    pub name_range: TextRange,
    /// `::<T>`
    pub turbofish: Vec<TypeIr>,
    /// arguments without the receiver
    pub args: Box<[ExprId]>,
}

/// `P { … }`
#[derive(Clone, Debug)]
pub struct StructExpr {
    /// type or variant
    pub path: PathIr,
    /// fields in source order; a shorthand field's value is the local or path of that name
    pub fields: Box<[(Name, ExprId)]>,
    /// the `x` of `..x`
    pub rest: Option<ExprId>,
}

/// Key of a map entry.
#[derive(Clone, Debug)]
pub enum MapKey {
    /// a literal key
    Text(Box<str>),
    /// a computed key
    Value(ExprId),
}

/// A block.
#[derive(Clone, Debug)]
pub struct Block {
    /// plain, async …
    pub kind: BlockKind,
    /// `'label: { … }`
    pub label: Option<Name>,
    /// statements
    pub statements: Box<[Statement]>,
    /// the value
    pub tail: Option<ExprId>,
}

impl Block {
    /// The expression that it ends with: its value, or the last statement.
    pub fn last(&self) -> Option<ExprId> {
        self.tail.or(match self.statements.last() {
            Some(Statement::Expr(last)) => Some(*last),
            _ => None,
        })
    }
}

/// What kind of block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockKind {
    /// `{ … }`, `unsafe { … }`, `const { … }`
    Plain,
    /// `async { … }`, `async move { … }`: a future, run where it is awaited
    Async,
    /// `try { … }`
    Try,
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Statement {
    /// `let P: T = e else { … };`
    Let {
        /// pattern
        pat: PatId,
        /// `: T`
        ty: Option<Box<TypeIr>>,
        /// value
        value: Option<ExprId>,
        /// diverging block
        otherwise: Option<ExprId>,
    },
    /// `e;`
    Expr(ExprId),
}

/// A `match` arm.
#[derive(Clone, Debug)]
pub struct Arm {
    /// pattern
    pub pat: PatId,
    /// `if …`
    pub guard: Option<ExprId>,
    /// value
    pub body: ExprId,
}

/// A loop.
#[derive(Clone, Debug)]
pub struct Loop {
    /// which kind
    pub kind: LoopKind,
    /// `'label`
    pub label: Option<Name>,
    /// body
    pub body: ExprId,
}

/// Which loop.
#[derive(Clone, Debug)]
pub enum LoopKind {
    /// `loop`
    Loop,
    /// `while c`; `c` may hold [`ExprKind::Let`]
    While(ExprId),
    /// `for P in e`
    For {
        /// pattern
        pat: PatId,
        /// what is iterated
        iterable: ExprId,
    },
}

/// A closure.
#[derive(Clone, Debug)]
pub struct Closure {
    /// parameters with their written types
    pub params: Box<[(PatId, Option<TypeIr>)]>,
    /// value; for `|| async { … }` an async block, for `async || { … }` too
    pub body: ExprId,
}

/// A binary operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names are the operators")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl BinaryOp {
    /// Whether it asks how two values stand to each other.
    pub fn compares(self) -> bool {
        matches!(self, Self::Eq | Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge)
    }
}

/// A formatting macro.
#[derive(Clone, Debug)]
pub struct FormatCall {
    /// last segment of the macro's path: `format`, `info`, `panic` …
    pub name: Name,
    /// arguments in front of the template: the writer of `write!`, the condition of `assert!`, `target: …` left out
    pub before: Box<[ExprId]>,
    /// the template, where it is a literal
    pub template: Option<Box<str>>,
    /// values in the order in which the template shows them (a value shown twice is listed twice), one for each
    /// placeholder; those of `info!`'s fields, widths, precisions, and arguments that no template shows, at the end
    pub values: Box<[ExprId]>,
}

/// `select!` or `join!`.
#[derive(Clone, Debug)]
pub struct Concurrent {
    /// last segment of the macro's path
    pub name: Name,
    /// only the first to finish counts, the rest are dropped
    pub race: bool,
    /// branches: pattern (select), future, guard, handler (select)
    pub branches: Box<[Branch]>,
}

/// One branch of [`Concurrent`].
#[derive(Clone, Debug)]
pub struct Branch {
    /// pattern of the result
    pub pat: Option<PatId>,
    /// the future (not awaited in the source: the macro awaits it)
    pub future: ExprId,
    /// `, if …`
    pub guard: Option<ExprId>,
    /// what runs when it wins
    pub handler: Option<ExprId>,
}

/// Any other macro invocation.
#[derive(Clone, Debug)]
pub struct MacroCall {
    /// path as written; a generator's `yield e` is an invocation of `yield`
    pub path: PathIr,
    /// arguments that could be read as expressions, in order; a brace group is a block
    pub args: Box<[ExprId]>,
    /// whether all tokens were understood
    pub complete: bool,
}

/// A pattern.
#[derive(Clone, Debug)]
pub struct Pat {
    /// what it is
    pub kind: PatKind,
    /// where
    pub range: TextRange,
}

/// What a pattern is. References and parentheses are dropped.
#[derive(Clone, Debug)]
pub enum PatKind {
    /// `_`, `..`
    Wild,
    /// `x`, `x @ P`
    Bind {
        /// the variable
        local: LocalId,
        /// the pattern behind `@`
        inner: Option<PatId>,
    },
    /// `P(a, .., b)`
    TupleStruct {
        /// variant or struct
        path: Box<PathIr>,
        /// elements; `..` is [`PatKind::Wild`] at `rest`
        elements: Box<[PatId]>,
        /// position of `..`
        rest: Option<u32>,
    },
    /// `P { a, b: c, .. }`
    Struct {
        /// variant or struct
        path: Box<PathIr>,
        /// fields
        fields: Box<[(Name, PatId)]>,
    },
    /// `P`: a unit variant or constant (a single lower-case identifier is a binding)
    Path(Box<PathIr>),
    /// `(a, b)`
    Tuple(Box<[PatId]>),
    /// `[a, b]`
    Slice(Box<[PatId]>),
    /// `a | b`
    Or(Box<[PatId]>),
    /// a literal
    Literal(Literal),
    /// `a..=b`: the ends that are literals
    Range(Box<[Option<Literal>; 2]>),
    /// a macro and the like
    Opaque,
}
