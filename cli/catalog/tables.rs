//! What an application says of its tables, found by the names that statements use.

use super::{Catalog, Table};

impl Catalog {
    /// What is declared of the table that a statement names.
    pub fn table(&self, name: &str) -> Option<&Table> {
        Table::called(&self.tables, name)
    }
}

impl Table {
    /// The one of several that a statement names. A builder's module is often called by the singular of it.
    pub fn called<'a>(tables: &'a [Self], name: &str) -> Option<&'a Self> {
        let plural = |own: &str| own.strip_suffix(['s', 'S']).is_some_and(|one| one.eq_ignore_ascii_case(name));
        let singular = |own: &str| name.strip_suffix('s').is_some_and(|one| own.eq_ignore_ascii_case(one));
        let find = |known: &dyn Fn(&str) -> bool| tables.iter().rev().find(|table| known(table.plain_name()));
        find(&|own| own.eq_ignore_ascii_case(name)).or_else(|| find(&plural)).or_else(|| find(&singular))
    }

    /// The columns that play a part in it: key, digest, status, receipt, token, until, created.
    pub fn named(&self, part: &str) -> &[String] {
        let names = self.columns.iter().find(|(known, _)| known == part);
        names.map_or(&[], |(_, names)| names.as_slice())
    }

    /// The last part of its name, without quotes: how statements name it.
    fn plain_name(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or(&self.name).trim_matches(['"', '`'])
    }
}
