//! Texts of other files that a macro takes in: `include_str!("take.sql")`, `query_file!("queries/take.sql", id)`.
//!
//! In: the path as written. Out: the text, where the file is one of those that are read beside the source.

use proc_macro2::TokenStream;
use syn::parse::Parser as _;
use syn::{Expr, Lit};

use super::body::Lowerer;
use crate::ir::{ExprId, ExprKind, Literal};

impl Lowerer<'_, '_> {
    /// The text behind the path that `include_str!` is given: from the folder of the file, or from that of the package.
    pub(super) fn included_text(&self, tokens: &TokenStream) -> Option<Literal> {
        let (workspace, file) = self.cut.source.around?;
        let text = match &syn::parse2::<Expr>(tokens.clone()).ok()? {
            Expr::Lit(path) => workspace.text_beside(file, &literal(&path.lit)?),
            Expr::Macro(inner) => {
                let parts = super::parse::commas.parse2(inner.mac.tokens.clone()).ok()?;
                let mut parts = parts.iter();
                let Some(Expr::Macro(folder)) = parts.next() else {
                    return None;
                };
                let of_package = folder.mac.path.is_ident("env")
                    && syn::parse2::<Lit>(folder.mac.tokens.clone()).ok().and_then(|name| literal(&name))?
                        == "CARGO_MANIFEST_DIR";
                let rest = parts.map(|part| match part {
                    Expr::Lit(part) => literal(&part.lit),
                    _ => None,
                });
                let path: String = rest.collect::<Option<_>>()?;
                of_package.then(|| workspace.text_in_package(file, path.trim_start_matches('/')))?
            }
            _ => None,
        };
        text.map(|text| Literal::Str(text.into()))
    }

    /// Puts the statement itself in the place of a path to it that a macro is given: from the folder of the package.
    pub(super) fn include_statements(&mut self, args: &[ExprId]) {
        let Some((workspace, file)) = self.cut.source.around else {
            return;
        };
        for &arg in args {
            let text = match &self.body.expr(arg).kind {
                ExprKind::Literal(Literal::Str(path)) if path.ends_with(".sql") => {
                    workspace.text_in_package(file, path.as_ref())
                }
                _ => None,
            };
            if let Some(text) = text {
                self.body.exprs[arg.0 as usize].kind = ExprKind::Literal(Literal::Str(text.into()));
            }
        }
    }
}

fn literal(lit: &Lit) -> Option<String> {
    match lit {
        Lit::Str(text) => Some(text.value()),
        _ => None,
    }
}
