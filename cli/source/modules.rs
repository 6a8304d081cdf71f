//! Which file a `mod name;` means.
//!
//! In: where the declaration stands. Out: the paths that the compiler would try. Pure, so that the stage that builds
//! module trees asks the same question and gets the same answer without a disk.

use super::{FileId, Workspace, path};
/// Where the files of a module's children are looked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModuleFolder {
    /// a folder, relative like the paths of the files
    folder: String,
    /// the name of the file that is no `mod.rs`: its children are in a folder of that name
    within: Option<String>,
}

/// A file that a declaration may mean, with the folder of its own children.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// its path
    pub path: String,
    /// where its children are
    pub children: ModuleFolder,
}

impl ModuleFolder {
    /// For the root file of a target, a `mod.rs`, or a file that `#[path]` names.
    pub fn of_owner(path: &str) -> Self {
        Self { folder: path::folder(path).to_owned(), within: None }
    }

    /// For any other file.
    pub fn of_file(path: &str) -> Self {
        let name = path::name(path);
        Self {
            folder: path::folder(path).to_owned(),
            within: Some(name.strip_suffix(".rs").unwrap_or(name).to_owned()),
        }
    }

    /// Whether it is that of a root, a `mod.rs` or a file that `#[path]` names.
    pub fn is_owner(&self) -> bool {
        self.within.is_none()
    }

    /// For an inline module `mod name { … }` of this one.
    pub fn inline(&self, name: &str, path_attr: Option<&str>) -> Self {
        let folder = match path_attr {
            // a path that leads out of the repository finds nothing
            Some(path) => join(&self.folder, path),
            None => join(&self.base(), name),
        };
        Self { folder, within: None }
    }

    /// The files that `mod name;` may mean here, in the order of preference.
    pub fn file(&self, name: &str, path_attr: Option<&str>) -> Vec<Candidate> {
        if let Some(attribute) = path_attr {
            let path = join(&self.folder, attribute);
            return vec![Candidate { children: Self::of_owner(&path), path }];
        }
        let base = self.base();
        let flat = join(&base, &format!("{name}.rs"));
        let nested = join(&base, &format!("{name}/mod.rs"));
        vec![
            Candidate { children: Self::of_file(&flat), path: flat },
            Candidate { children: Self::of_owner(&nested), path: nested },
        ]
    }

    fn base(&self) -> String {
        match &self.within {
            Some(name) => join(&self.folder, name),
            None => self.folder.clone(),
        }
    }
}

/// As [`path::join`], but a leading `../` stays: paths may be relative to a folder inside the repository.
fn join(base: &str, path: &str) -> String {
    let ups = base.split('/').take_while(|part| *part == "..").count();
    let rest = base.split('/').skip(ups).collect::<Vec<_>>().join("/");
    let mut up = ups;
    let mut parts: Vec<&str> = rest.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                if parts.pop().is_none() {
                    up += 1;
                }
            }
            part => parts.push(part),
        }
    }
    let mut all = vec![".."; up];
    all.extend(parts);
    all.join("/")
}

impl Workspace {
    /// The file at a path, relative to the root like [`super::SourceFile::path`].
    pub fn find(&self, path: &str) -> Option<FileId> {
        if let Ok(at) = self.files.binary_search_by(|file| file.path.as_str().cmp(path)) {
            return Some(FileId(at as u32));
        }
        self.links.binary_search_by(|link| link.0.as_str().cmp(path)).ok().map(|at| self.links[at].1)
    }

    /// The files that `mod name;` means in a module whose children are in `folder`: several for `a.rs` beside
    /// `a/mod.rs`, none if it was not read. The second part is for the file's own declarations.
    pub fn module_files(
        &self,
        folder: &ModuleFolder,
        name: &str,
        path_attr: Option<&str>,
    ) -> Vec<(FileId, ModuleFolder)> {
        folder
            .file(name, path_attr)
            .into_iter()
            .filter_map(|candidate| Some((self.find(&candidate.path)?, candidate.children)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(candidates: Vec<Candidate>) -> Vec<String> {
        candidates.into_iter().map(|found| found.path).collect()
    }

    #[test]
    fn children_of_a_root_and_of_a_file() {
        let root = ModuleFolder::of_owner("src/lib.rs");
        assert_eq!(paths(root.file("a", None)), ["src/a.rs", "src/a/mod.rs"]);
        let file = ModuleFolder::of_file("src/a.rs");
        assert_eq!(paths(file.file("b", None)), ["src/a/b.rs", "src/a/b/mod.rs"]);
    }

    #[test]
    fn paths_are_relative_to_the_folder_of_the_file_unless_a_module_is_between() {
        let file = ModuleFolder::of_file("src/a.rs");
        assert_eq!(paths(file.file("b", Some("x.rs"))), ["src/x.rs"]);
        let inner = file.inline("m", None);
        assert_eq!(paths(inner.file("b", Some("x.rs"))), ["src/a/m/x.rs"]);
        assert_eq!(paths(inner.file("b", None)), ["src/a/m/b.rs", "src/a/m/b/mod.rs"]);
        let moved = file.inline("m", Some("other"));
        assert_eq!(paths(moved.file("b", None)), ["src/other/b.rs", "src/other/b/mod.rs"]);
        assert_eq!(paths(ModuleFolder::of_owner("../lib/src/lib.rs").file("b", Some("../../x.rs"))), ["../x.rs"]);
    }
}
