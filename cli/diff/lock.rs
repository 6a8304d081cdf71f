//! Versions of dependencies, as Cargo.lock fixes them.

use std::collections::BTreeMap;

use toml::Table;

/// What Cargo.lock says.
#[derive(Clone, Debug, Default)]
pub struct Lock {
    /// by name; several where several versions are in the graph
    packages: BTreeMap<String, Vec<Locked>>,
}

#[derive(Clone, Debug)]
struct Locked {
    version: String,
    /// where it comes from, if not from a folder
    source: Option<String>,
    /// `name`, `name version` or `name version (source)`
    dependencies: Vec<String>,
}

impl Lock {
    /// Reads a Cargo.lock; nothing if it is none.
    pub fn parse(text: &str) -> Option<Self> {
        let table: Table = text.parse().ok()?;
        let mut packages: BTreeMap<String, Vec<Locked>> = BTreeMap::new();
        for package in table.get("package").and_then(|list| list.as_array()).into_iter().flatten() {
            let text = |key: &str| package.get(key).and_then(|value| value.as_str()).map(str::to_owned);
            let (Some(name), Some(version)) = (text("name"), text("version")) else { continue };
            let dependencies = package.get("dependencies").and_then(|list| list.as_array()).into_iter().flatten();
            let dependencies = dependencies.filter_map(|entry| entry.as_str()).map(str::to_owned).collect();
            packages.entry(name).or_default().push(Locked { version, source: text("source"), dependencies });
        }
        Some(Self { packages })
    }

    /// The version of a dependency that a package of the workspace gets. What does not come from a registry is told
    /// with its source, since there the same version can be another code.
    pub fn version(&self, package: &str, dependency: &str) -> Option<String> {
        let known = self.packages.get(dependency)?;
        let wanted = self.packages.get(package).into_iter().flatten().find(|package| package.source.is_none());
        let entry = wanted.into_iter().flat_map(|package| &package.dependencies).find_map(|entry| {
            let mut words = entry.split(' ');
            (words.next() == Some(dependency)).then(|| words.next())
        });
        let found = match entry {
            Some(Some(version)) => known.iter().find(|locked| locked.version == version),
            _ => known.first(),
        }?;
        let other = found.source.as_deref().filter(|source| !source.starts_with("registry+"));
        Some(match other {
            Some(source) => format!("{} ({source})", found.version),
            None => found.version.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = r#"
version = 4

[[package]]
name = "shop"
version = "0.1.0"
dependencies = ["reqwest 0.12.3", "stripe"]

[[package]]
name = "reqwest"
version = "0.11.27"
source = "registry+https://github.com/rust-lang/crates.io-index"

[[package]]
name = "reqwest"
version = "0.12.3"
source = "registry+https://github.com/rust-lang/crates.io-index"

[[package]]
name = "stripe"
version = "1.0.0"
source = "git+https://example.com/stripe#abc"
"#;

    #[test]
    fn the_version_is_the_one_that_the_package_gets() {
        let lock = Lock::parse(LOCK).expect("a lock file");
        assert_eq!(lock.version("shop", "reqwest").as_deref(), Some("0.12.3"));
        assert_eq!(lock.version("other", "reqwest").as_deref(), Some("0.11.27"));
        assert_eq!(lock.version("shop", "stripe").as_deref(), Some("1.0.0 (git+https://example.com/stripe#abc)"));
        assert_eq!(lock.version("shop", "absent"), None);
        assert!(Lock::parse("= no toml").is_none());
    }
}
