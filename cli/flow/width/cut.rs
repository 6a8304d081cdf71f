//! Texts that are cut so short that a part of them never is in what is left: `format!("{account}:{line}")` of which the
//! first 32 characters are kept, an account having 36.

use super::{MAX_DEPTH, Reader, template};
use crate::ir::{ExprId, ExprKind};
use crate::source::Span;

/// Methods that keep the front of a text.
const KEEP_FRONT: [&str; 3] = ["get", "take", "truncate"];

impl Reader<'_, '_> {
    /// Remembers a cut, if a part of the whole is lost by it whatever the values are.
    pub(super) fn note_cut(&self, cut: ExprId, whole: ExprId, by: ExprId) {
        let front = match &self.body.expr(cut).kind {
            ExprKind::MethodCall(call) => KEEP_FRONT.contains(&call.name.as_str()),
            _ => true,
        };
        let from_start = match &self.body.expr(by).kind {
            ExprKind::Range { start, .. } => start.is_none_or(|start| self.number(start) == Some(0)),
            _ => true,
        };
        let lost = || Some(self.last_part(whole, self.depth)? >= self.cut_by(by)?);
        if front && from_start && self.cut.get().is_none() && lost() == Some(true) {
            let file = self.engine.program.function(self.function).file;
            self.cut.set(Some(Span::new(file, self.body.expr(cut).range)));
        }
    }

    /// Where the last value of a text that is put together begins at least.
    fn last_part(&self, id: ExprId, depth: usize) -> Option<u32> {
        if depth > MAX_DEPTH {
            return None;
        }
        match &self.body.expr(id).kind {
            ExprKind::Local(local) => self.last_part(self.body.bound(*local)?, depth + 1),
            // Characters and bytes of a text are the text.
            ExprKind::MethodCall(call) => {
                let row = self.row(id)?;
                let same = row.keeps.contains(&-1) && row.width.is_none() && row.widens.is_none() && row.cuts.is_none();
                if same && !row.digest { self.last_part(call.receiver, depth + 1) } else { None }
            }
            ExprKind::Format(call) => {
                let mut values = call.values.iter();
                let inner = Self { depth: depth + 1, ..*self };
                let (mut at, mut last) = (0u32, None);
                for part in template::parts(call.template.as_deref()?) {
                    match part {
                        Some(_) => at = at.saturating_add(1),
                        None => {
                            let &value = values.next()?;
                            if !matches!(self.body.expr(value).kind, ExprKind::Literal(_) | ExprKind::Path(_)) {
                                last = Some(at);
                            }
                            at = at.saturating_add(inner.of(value).map_or(1, |width| width.least.max(1)));
                        }
                    }
                }
                last
            }
            _ => None,
        }
    }
}
