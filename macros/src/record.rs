//! The constant that `contract = NAME` emits beside the function.

use crate::check::crate_path;
use crate::function::Function;
use effect_contracts_grammar::{Contract, Delivery, KeyTemplate, Mapped, Parsed, Remedy, State, Terminal, Window};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote_spanned;
use std::time::Duration;

/// The constant, with the function's visibility and under the function's conditions.
///
/// It is the user who asks for it: a method's macro cannot see whether it is in an inherent impl, a trait or its impl,
/// and only the first can take a further constant.
pub(crate) fn constant(name: &Ident, parsed: &Parsed, function: &Function) -> TokenStream {
    let path = crate_path(parsed);
    let visibility = function.visibility();
    let conditions = function.cfg_attributes();
    let handler = function.name.to_string();
    let handler = Literal::string(&format!("::{}", handler.trim_start_matches("r#")));
    let doc = Literal::string(&format!("The guarantee contract of `{}`.", function.name));
    // Placed at the macro, the constant may stay unused without a warning. An attribute that said so would be an error
    // where the lint is forbidden.
    let name = Ident::new(&name.to_string(), name.span().resolved_at(Span::mixed_site()));
    let facts = Facts { path: &path }.all(&parsed.contract);
    quote_spanned! {Span::mixed_site()=>
        #conditions
        #[doc = #doc]
        #visibility const #name: #path::ContractRecord = #path::__private::RecordBuilder::new()
            .handler(::core::concat!(::core::module_path!(), #handler))
            #facts
            .build();
    }
}

struct Facts<'a> {
    path: &'a TokenStream,
}

impl Facts<'_> {
    fn all(&self, contract: &Contract) -> TokenStream {
        let text = |text: &String| self.some(&self.text(text));
        let duration = |value: Duration| self.some(&self.duration(value));
        let setters = [
            ("intent_key", contract.intent_key.as_ref().map(|key| self.text(KeyTemplate::text(key)))),
            ("provider_window", contract.provider_window.as_ref().map(|window| self.window(window))),
            ("terminal", contract.terminal.as_ref().map(|states| self.slice(states, |state| self.terminal(state)))),
            ("provider", contract.provider.as_ref().map(text)),
            ("mechanism", contract.mechanism.map(|word| self.text(word.as_str()))),
            ("replay_horizon", contract.replay_horizon.map(duration)),
            ("delivery", contract.delivery.as_ref().map(|delivery| self.some(&self.delivery(delivery)))),
            ("boundary", contract.boundary.as_ref().map(text)),
            ("record", contract.record.as_ref().map(text)),
            ("dispatch", Some(self.slice(&contract.dispatch, |path| self.text(path)))),
            ("reconcile", contract.reconcile.as_ref().map(|remedy| self.remedy(remedy))),
            ("compensate", contract.compensate.as_ref().map(|remedy| self.remedy(remedy))),
            ("irreversible", contract.irreversible.map(|flag| self.flag(flag))),
            ("compensates", contract.compensates.as_ref().map(text)),
            ("evidence_retention", contract.evidence_retention.map(duration)),
            ("operator", contract.operator.as_ref().map(text)),
            ("fence", contract.fence.as_ref().map(text)),
            ("effect", contract.effect.as_ref().map(text)),
            ("name", contract.name.as_ref().map(text)),
            ("kind", contract.kind.map(|kind| self.some(&self.text(kind.as_str())))),
        ];
        setters
            .into_iter()
            .filter_map(|(setter, value)| {
                let setter = Ident::new(setter, Span::mixed_site());
                let value = value?;
                Some(quote_spanned!(Span::mixed_site()=> .#setter(#value)))
            })
            .collect()
    }

    fn text(&self, text: &str) -> TokenStream {
        let text = Literal::string(text);
        quote_spanned!(Span::mixed_site()=> #text)
    }

    fn flag(&self, flag: bool) -> TokenStream {
        let flag = Ident::new(if flag { "true" } else { "false" }, Span::mixed_site());
        quote_spanned!(Span::mixed_site()=> #flag)
    }

    fn some(&self, value: &TokenStream) -> TokenStream {
        quote_spanned!(Span::mixed_site()=> ::core::option::Option::Some(#value))
    }

    fn slice<T>(&self, items: &[T], item: impl Fn(&T) -> TokenStream) -> TokenStream {
        let items = items.iter().map(item);
        quote_spanned!(Span::mixed_site()=> &[#(#items),*])
    }

    fn duration(&self, value: Duration) -> TokenStream {
        let seconds = Literal::u64_unsuffixed(value.as_secs());
        let nanos = Literal::u32_unsuffixed(value.subsec_nanos());
        quote_spanned!(Span::mixed_site()=> ::core::time::Duration::new(#seconds, #nanos))
    }

    fn window(&self, window: &Window) -> TokenStream {
        let path = self.path;
        let kind = match window {
            Window::Exact(value) => {
                let value = self.duration(*value);
                quote_spanned!(Span::mixed_site()=> Exact(#value))
            }
            Window::AtLeast(value) => {
                let value = self.duration(*value);
                quote_spanned!(Span::mixed_site()=> AtLeast(#value))
            }
            Window::Configurable { value, max } => {
                let value = self.duration(*value);
                let max = max.map_or_else(
                    || quote_spanned!(Span::mixed_site()=> ::core::option::Option::None),
                    |max| self.some(&self.duration(max)),
                );
                quote_spanned!(Span::mixed_site()=> Configurable { value: #value, max: #max })
            }
            Window::Forever => quote_spanned!(Span::mixed_site()=> Forever),
            Window::Unpublished => quote_spanned!(Span::mixed_site()=> Unpublished),
            Window::None => quote_spanned!(Span::mixed_site()=> None),
        };
        quote_spanned!(Span::mixed_site()=> #path::Window::#kind)
    }

    fn delivery(&self, delivery: &Delivery) -> TokenStream {
        let path = self.path;
        let kind = match delivery {
            Delivery::AtLeastOnce => quote_spanned!(Span::mixed_site()=> AtLeastOnce),
            Delivery::AtMostOnce => quote_spanned!(Span::mixed_site()=> AtMostOnce),
            Delivery::ExactlyOnceWithin(boundary) => {
                quote_spanned!(Span::mixed_site()=> ExactlyOnceWithin(#boundary))
            }
            Delivery::ExactlyOnce => quote_spanned!(Span::mixed_site()=> ExactlyOnce),
        };
        quote_spanned!(Span::mixed_site()=> #path::Delivery::#kind)
    }

    fn remedy(&self, remedy: &Remedy) -> TokenStream {
        let path = self.path;
        let (kind, text) = match remedy {
            Remedy::Path(text) | Remedy::Unchecked(text) => ("Function", text),
            Remedy::None(text) => ("None", text),
        };
        let kind = Ident::new(kind, Span::mixed_site());
        self.some(&quote_spanned!(Span::mixed_site()=> #path::Remedy::#kind(#text)))
    }

    fn terminal(&self, terminal: &Terminal) -> TokenStream {
        let path = self.path;
        let state = match terminal.state {
            State::Prepared => "Prepared",
            State::Confirmed => "Confirmed",
            State::Rejected => "Rejected",
            State::Unknown => "Unknown",
            State::Reconciled => "Reconciled",
            State::Compensated => "Compensated",
        };
        let state = Ident::new(state, Span::mixed_site());
        let mapped = match &terminal.mapped {
            Some(Mapped::Variant(text) | Mapped::Text(text)) => self.some(&self.text(text)),
            None => quote_spanned!(Span::mixed_site()=> ::core::option::Option::None),
        };
        quote_spanned! {Span::mixed_site()=>
            #path::TerminalState { state: #path::EffectState::#state, mapped: #mapped }
        }
    }
}
