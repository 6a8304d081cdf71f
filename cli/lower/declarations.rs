//! Structs, enums and unions.

use syn::Fields;

use super::attributes::{Serde, attributes, renamed_field, renamed_variant, serde};
use super::text::Cut;
use super::types;
use crate::ir::{FieldDecl, Name, TypeDecl, Variant};
use crate::source::TextRange;

/// A struct: one variant with its own name.
pub(super) fn structure(item: &syn::ItemStruct, range: TextRange, cut: Cut<'_, '_>) -> TypeDecl {
    let container = serde(&item.attrs);
    let fields = fields(&item.fields, container.rename_all.as_deref(), cut);
    single(&item.ident, &item.generics, &item.attrs, container, fields, range, cut)
}

/// A union, read like a struct.
pub(super) fn union(item: &syn::ItemUnion, range: TextRange, cut: Cut<'_, '_>) -> TypeDecl {
    let container = serde(&item.attrs);
    let fields = named(&item.fields, container.rename_all.as_deref(), cut);
    single(&item.ident, &item.generics, &item.attrs, container, fields, range, cut)
}

fn single(
    ident: &syn::Ident,
    generics: &syn::Generics,
    attrs: &[syn::Attribute],
    container: Serde,
    fields: Vec<FieldDecl>,
    range: TextRange,
    cut: Cut<'_, '_>,
) -> TypeDecl {
    let name = types::name(ident);
    TypeDecl {
        name,
        is_enum: false,
        generics: types::generics(generics),
        attributes: attributes(attrs, cut),
        variants: vec![Variant {
            name,
            serde_name: container.rename.map_or(name, |renamed| Name::new(&renamed)),
            attributes: Vec::new(),
            fields,
            range,
        }],
        name_range: cut.range(ident.span()),
        range,
    }
}

/// An enum.
pub(super) fn enumeration(item: &syn::ItemEnum, range: TextRange, cut: Cut<'_, '_>) -> TypeDecl {
    let container = serde(&item.attrs);
    let variants = item.variants.iter().map(|variant| {
        let own = serde(&variant.attrs);
        let name = types::name(&variant.ident);
        let rule = own.rename_all.as_deref().or(container.rename_all_fields.as_deref());
        let end = match (&variant.discriminant, &variant.fields) {
            (None, Fields::Named(fields)) => fields.brace_token.span.close(),
            (None, Fields::Unnamed(fields)) => fields.paren_token.span.close(),
            (Some((equals, _)), _) => equals.spans[0],
            (None, Fields::Unit) => variant.ident.span(),
        };
        Variant {
            name,
            serde_name: match own.rename {
                Some(renamed) => Name::new(&renamed),
                None => renamed_variant(name, container.rename_all.as_deref()),
            },
            attributes: attributes(&variant.attrs, cut),
            fields: fields(&variant.fields, rule, cut),
            range: cut.between(variant.ident.span(), end),
        }
    });
    TypeDecl {
        name: types::name(&item.ident),
        is_enum: true,
        generics: types::generics(&item.generics),
        attributes: attributes(&item.attrs, cut),
        variants: variants.collect(),
        name_range: cut.range(item.ident.span()),
        range,
    }
}

fn fields(fields: &Fields, rule: Option<&str>, cut: Cut<'_, '_>) -> Vec<FieldDecl> {
    match fields {
        Fields::Named(fields) => named(fields, rule, cut),
        Fields::Unnamed(fields) => {
            let fields = fields.unnamed.iter().enumerate();
            let fields = fields.map(|(at, field)| declared(field, Name::new(&at.to_string()), None, cut));
            fields.collect()
        }
        Fields::Unit => Vec::new(),
    }
}

fn named(fields: &syn::FieldsNamed, rule: Option<&str>, cut: Cut<'_, '_>) -> Vec<FieldDecl> {
    let fields = fields.named.iter().filter_map(|field| {
        let ident = field.ident.as_ref()?;
        Some(declared(field, types::name(ident), rule, cut))
    });
    fields.collect()
}

fn declared(field: &syn::Field, name: Name, rule: Option<&str>, cut: Cut<'_, '_>) -> FieldDecl {
    let own = serde(&field.attrs);
    let end = types::type_end(&field.ty);
    FieldDecl {
        name,
        serde_name: match own.rename {
            Some(renamed) => Name::new(&renamed),
            None => renamed_field(name, rule),
        },
        serde_skip: own.skip,
        serde_default: own.default.as_deref().map(Name::new),
        deref: field.attrs.iter().any(|attribute| attribute.path().is_ident("deref")),
        ty: types::ty(&field.ty),
        range: match &field.ident {
            Some(ident) => cut.between(ident.span(), end),
            None => cut.between(types::type_start(&field.ty), end),
        },
    }
}
