//! Whole workspaces: in memory what manifests mean, on disk what a disk can do.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;

/// Finds `mod name;` by text, so that these tests need no index.
fn scan(text: &str) -> Scanned<usize> {
    let mut mods = Vec::new();
    let mut path = None;
    for line in text.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix("#[path = \"") {
            path = rest.split('"').next().map(str::to_owned);
        } else if let Some(name) = line.strip_prefix("mod ") {
            mods.push(ModFile {
                name: name.trim_end_matches(';').to_owned(),
                inside: Vec::new(),
                paths: path.take().into_iter().collect(),
                conditional: false,
            });
        }
    }
    Scanned { mods, result: text.len() }
}

fn memory(files: &[(&str, &str)]) -> Memory {
    let owned = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
    Memory(owned.collect())
}

fn at(workspace: &str, package: Option<&str>) -> Location {
    Location {
        repository: PathBuf::new(),
        workspace: workspace.to_owned(),
        package: package.map(str::to_owned),
        file: None,
    }
}

fn read_memory(files: &[(&str, &str)], location: &Location, options: &Options) -> Result<Workspace, Error> {
    read_tree(&memory(files), location, options, scan).map(|(workspace, _)| workspace)
}

fn read_default(files: &[(&str, &str)]) -> Workspace {
    read_memory(files, &at("", None), &Options::default()).unwrap()
}

fn packages(workspace: &Workspace) -> Vec<(&str, bool)> {
    workspace.packages.iter().map(|package| (package.name.as_str(), package.reported)).collect()
}

fn paths(workspace: &Workspace) -> Vec<&str> {
    workspace.files.iter().map(|file| file.path.as_str()).collect()
}

fn targets(package: &Package) -> Vec<(TargetKind, &str)> {
    package.targets.iter().map(|target| (target.kind, target.crate_name.as_str())).collect()
}

#[test]
fn members_come_from_globs_and_from_path_dependencies() {
    let workspace = read_default(&[
        (
            "Cargo.toml",
            "[workspace]\nmembers = ['crates/*', 'tool']\nexclude = ['crates/old']\n\
             [workspace.package]\nedition = '2021'\ndescription = 'shared'",
        ),
        (
            "crates/a/Cargo.toml",
            "[package]\nname = 'a'\nedition.workspace = true\ndescription = { workspace = true }\n\
             [dependencies]\nb-lib = { path = '../../implicit' }",
        ),
        ("crates/a/src/lib.rs", "mod x;"),
        ("crates/a/src/x.rs", ""),
        ("crates/none/README.md", "no manifest"),
        ("crates/old/Cargo.toml", "[package]\nname = 'old'"),
        ("implicit/Cargo.toml", "[package]\nname = 'b-lib'"),
        ("implicit/src/lib.rs", ""),
        ("tool/Cargo.toml", "[package]\nname = 'tool'\nedition = '2024'"),
        ("tool/src/main.rs", ""),
    ]);
    assert_eq!(packages(&workspace), [("a", true), ("b-lib", true), ("tool", true)]);
    assert_eq!(
        paths(&workspace),
        ["crates/a/src/lib.rs", "crates/a/src/x.rs", "implicit/src/lib.rs", "tool/src/main.rs"]
    );
    let a = &workspace.packages[0];
    assert_eq!((a.edition, a.description.as_deref()), (2021, Some("shared")));
    assert_eq!(workspace.packages[1].edition, 2015);
    assert_eq!(a.dependencies[0].extern_name, "b_lib");
    assert_eq!(a.dependencies[0].local, Some(PackageId(1)));
    assert_eq!(a.manifest, "crates/a/Cargo.toml");
}

#[test]
fn selection_decides_what_is_reported_and_nothing_else() {
    let files = [
        ("Cargo.toml", "[workspace]\nmembers = ['a', 'b', 'c']\ndefault-members = ['a', 'b']"),
        ("a/Cargo.toml", "[package]\nname = 'a'"),
        ("a/src/lib.rs", ""),
        ("b/Cargo.toml", "[package]\nname = 'b'"),
        ("b/src/lib.rs", ""),
        ("c/Cargo.toml", "[package]\nname = 'c'"),
        ("c/src/lib.rs", ""),
    ];
    let reported = |location: &Location, selection: Selection| {
        let options = Options { selection, ..Options::default() };
        let workspace = read_memory(&files, location, &options).unwrap();
        assert_eq!(workspace.files.len(), 3);
        let chosen = workspace.packages.iter().filter(|package| package.reported);
        chosen.map(|package| package.name.clone()).collect::<String>()
    };
    let text = |text: &str| vec![text.to_owned()];
    let root = at("", None);
    assert_eq!(reported(&root, Selection::default()), "ab");
    assert_eq!(reported(&at("", Some("c")), Selection::default()), "c");
    let selection = Selection { packages: text("[ac]"), ..Selection::default() };
    assert_eq!(reported(&root, selection), "ac");
    let selection = Selection { workspace: true, exclude: text("b"), ..Selection::default() };
    assert_eq!(reported(&root, selection), "ac");
}

#[test]
fn an_unknown_package_is_an_error_with_a_suggestion() {
    let files = [("Cargo.toml", "[package]\nname = 'billing'"), ("src/lib.rs", "")];
    let options = Options {
        selection: Selection { packages: vec!["biling".to_owned()], ..Selection::default() },
        ..Options::default()
    };
    let error = read_memory(&files, &at("", None), &options).unwrap_err();
    assert!(error.message.contains("`biling`"), "{error}");
    assert_eq!(error.help, "did you mean `billing`?");
}

#[test]
fn dependencies_are_inherited_renamed_and_merged() {
    let workspace = read_default(&[
        (
            "Cargo.toml",
            "[workspace]\nmembers = ['a', 'core']\n[workspace.dependencies]\n\
             core = { path = 'core', package = 'shop-core' }\nuuid = '1'",
        ),
        (
            "a/Cargo.toml",
            "[package]\nname = 'a'\n[dependencies]\ncore.workspace = true\n\
             http-client = { version = '1', package = 'reqwest' }\nuuid = { workspace = true }\n\
             [dev-dependencies]\nuuid = '1'\ntempfile = '3'\n\
             [target.'cfg(unix)'.dependencies]\nnix = '1'\n[build-dependencies]\ncc = '1'",
        ),
        ("a/src/lib.rs", ""),
        ("core/Cargo.toml", "[package]\nname = 'shop-core'\n[lib]\nname = 'kernel'"),
        ("core/src/lib.rs", ""),
    ]);
    let a = &workspace.packages[0];
    let found: Vec<_> = a
        .dependencies
        .iter()
        .map(|dependency| {
            (dependency.extern_name.as_str(), dependency.package_name.as_str(), dependency.local, dependency.dev)
        })
        .collect();
    assert_eq!(
        found,
        [
            ("cc", "cc", None, false),
            ("core", "shop-core", Some(PackageId(1)), false),
            ("http_client", "reqwest", None, false),
            ("nix", "nix", None, false),
            ("tempfile", "tempfile", None, true),
            ("uuid", "uuid", None, false),
        ]
    );
}

#[test]
fn a_package_for_tests_alone_is_known_as_one() {
    let workspace = read_default(&[
        ("Cargo.toml", "[workspace]\nmembers = ['*']\n[workspace.package]\npublish = false"),
        (
            "app/Cargo.toml",
            "[package]\nname = 'app'\n[dependencies]\nlib = { path = '../lib' }\n\
             [dev-dependencies]\nrig = { path = '../rig' }\nopen = { path = '../open' }\ntool = { path = '../tool' }",
        ),
        ("app/src/main.rs", ""),
        ("lib/Cargo.toml", "[package]\nname = 'lib'\npublish = false\n[dev-dependencies]\nrig = { path = '../rig' }"),
        ("lib/src/lib.rs", ""),
        ("open/Cargo.toml", "[package]\nname = 'open'"),
        ("open/src/lib.rs", ""),
        ("parts/Cargo.toml", "[package]\nname = 'parts'\npublish = []"),
        ("parts/src/lib.rs", ""),
        (
            "rig/Cargo.toml",
            "[package]\nname = 'rig'\npublish.workspace = true\n[dependencies]\nparts = { path = '../parts' }",
        ),
        ("rig/src/lib.rs", ""),
        ("tool/Cargo.toml", "[package]\nname = 'tool'\npublish = false"),
        ("tool/src/lib.rs", ""),
        ("tool/src/main.rs", ""),
        ("whole/Cargo.toml", "[package]\nname = 'app-tests'\n[dependencies]\nlib = { path = '../lib' }"),
        ("whole/src/lib.rs", ""),
        ("whole/src/bin/counterpart.rs", ""),
        ("whole/tests/all.rs", ""),
    ]);
    let support: Vec<&str> =
        workspace.packages.iter().filter(|package| package.test_support).map(|package| package.name.as_str()).collect();
    assert_eq!(support, ["parts", "rig", "app-tests"]);
}

#[test]
fn an_unrenamed_dependency_goes_by_the_name_of_its_library() {
    let workspace = read_default(&[
        ("Cargo.toml", "[package]\nname = 'a'\n[dependencies]\nshop-core = { path = 'core' }"),
        ("src/lib.rs", ""),
        ("core/Cargo.toml", "[package]\nname = 'shop-core'\n[lib]\nname = 'kernel'"),
        ("core/src/lib.rs", ""),
    ]);
    let a = workspace.packages.iter().find(|package| package.name == "a");
    assert_eq!(a.unwrap().dependencies[0].extern_name, "kernel");
}

#[test]
fn path_dependencies_elsewhere_in_the_repository_are_read_and_not_reported() {
    let files = [
        (
            "backend/Cargo.toml",
            "[package]\nname = 'app'\n[dependencies]\nshared = { path = '../shared' }\n\
             outside = { path = '../../outside' }\ncopy = { path = 'vendor/copy' }\n\
             gone = { path = '../gone' }",
        ),
        ("backend/src/main.rs", ""),
        (
            "shared/Cargo.toml",
            "[package]\nname = 'shared'\nedition = '2018'\n[dependencies]\ndeeper = { path = '../deeper' }",
        ),
        ("shared/src/lib.rs", "mod x;"),
        ("shared/src/x.rs", ""),
        ("deeper/Cargo.toml", "[package]\nname = 'deeper'"),
        ("deeper/src/lib.rs", ""),
        ("backend/vendor/copy/Cargo.toml", "[package]\nname = 'copy'"),
        ("backend/vendor/copy/src/lib.rs", ""),
    ];
    let workspace = read_memory(&files, &at("backend", None), &Options::default()).unwrap();
    assert_eq!(packages(&workspace), [("deeper", false), ("shared", false), ("app", true)]);
    assert_eq!(
        paths(&workspace),
        ["../deeper/src/lib.rs", "../shared/src/lib.rs", "../shared/src/x.rs", "src/main.rs"]
    );
    let reported: Vec<bool> = workspace.files.iter().map(|file| file.reported).collect();
    assert_eq!(reported, [false, false, false, true]);
    assert_eq!(workspace.packages[1].edition, 2018);
    assert!(workspace.warnings.iter().any(|text| text.contains("../gone")));
    assert!(!workspace.warnings.iter().any(|text| text.contains("vendor")));
    let folder = ModuleFolder::of_owner("../shared/src/lib.rs");
    let found = workspace.module_files(&folder, "x", None);
    assert_eq!(found[0].0, workspace.find("../shared/src/x.rs").unwrap());
}

#[test]
fn targets_are_found_by_their_place_and_listed() {
    use TargetKind::{Bench, Bin, BuildScript, Example, Lib, Test};
    let workspace = read_default(&[
        (
            "Cargo.toml",
            "[package]\nname = 'my-app'\nedition = '2021'\n[[bin]]\nname = 'listed-bin'\npath = 'cmd/go.rs'\n\
             [[test]]\nname = 'all'\npath = 'tests/all/mod.rs'",
        ),
        ("build.rs", ""),
        ("src/lib.rs", ""),
        ("src/main.rs", ""),
        ("src/bin/one.rs", ""),
        ("src/bin/two/main.rs", "mod part;"),
        ("src/bin/two/part.rs", ""),
        ("src/bin/helper/lib.rs", ""),
        ("cmd/go.rs", ""),
        ("examples/demo.rs", ""),
        ("tests/it.rs", "mod common;"),
        ("tests/common/mod.rs", ""),
        ("tests/all/mod.rs", ""),
        ("benches/.hidden.rs", ""),
        ("benches/speed.rs", ""),
        ("src/orphan.rs", ""),
    ]);
    assert_eq!(
        targets(&workspace.packages[0]),
        [
            (Lib, "my_app"),
            (Bin, "listed_bin"),
            (Bin, "my_app"),
            (Bin, "one"),
            (Bin, "two"),
            (Example, "demo"),
            (Test, "all"),
            (Test, "it"),
            (Bench, "speed"),
            (BuildScript, "build_script_build"),
        ]
    );
    assert!(workspace.find("src/bin/two/part.rs").is_some());
    assert!(workspace.find("tests/common/mod.rs").is_some());
    assert!(workspace.find("src/orphan.rs").is_none());
    assert!(workspace.find("src/bin/helper/lib.rs").is_none());
}

#[test]
fn automatic_targets_can_be_switched_off() {
    let kinds = |manifest: &str| {
        let workspace = read_default(&[
            ("Cargo.toml", manifest),
            ("build.rs", ""),
            ("src/lib.rs", ""),
            ("src/bin/a.rs", ""),
            ("src/bin/b.rs", ""),
            ("tests/t.rs", ""),
        ]);
        let names = targets(&workspace.packages[0]);
        names.into_iter().map(|(_, name)| name.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        kinds(
            "[package]\nname = 'x'\nedition = '2021'\nbuild = false\nautobins = false\nautotests = false\n\
             [[bin]]\nname = 'a'"
        ),
        ["x", "a"]
    );
    // edition 2015 looks no further once one is listed
    assert_eq!(kinds("[package]\nname = 'x'\n[[bin]]\nname = 'a'"), ["x", "a", "t", "build_script_build"]);
}

#[test]
fn modules_are_followed_as_the_compiler_does() {
    let workspace = read_default(&[
        ("Cargo.toml", "[package]\nname = 'x'"),
        (
            "src/lib.rs",
            "mod a;\nmod both;\n#[path = \"elsewhere/z.rs\"]\nmod z;\n#[path = \"lib.rs\"]\nmod again;\nmod absent;\nmod dir;",
        ),
        ("src/a.rs", "mod inner;"),
        ("src/a/inner.rs", "mod deep;"),
        ("src/a/inner/deep.rs", ""),
        ("src/both.rs", ""),
        ("src/both/mod.rs", "mod child;"),
        ("src/both/child.rs", ""),
        ("src/elsewhere/z.rs", "mod sibling;\n#[path = \"../../../out.rs\"]\nmod out;"),
        ("src/elsewhere/sibling.rs", ""),
        ("src/dir.rs/file", ""),
        ("src/inner.rs", "never reached"),
    ]);
    assert_eq!(
        paths(&workspace),
        [
            "src/a.rs",
            "src/a/inner.rs",
            "src/a/inner/deep.rs",
            "src/both.rs",
            "src/both/child.rs",
            "src/both/mod.rs",
            "src/elsewhere/sibling.rs",
            "src/elsewhere/z.rs",
            "src/lib.rs",
        ]
    );
}

#[test]
fn excluded_files_are_not_read() {
    let options = Options { exclude: vec!["src/generated/**".to_owned()], ..Options::default() };
    let files = [
        ("Cargo.toml", "[package]\nname = 'x'"),
        ("src/lib.rs", "mod generated;\nmod kept;"),
        ("src/generated/mod.rs", ""),
        ("src/kept.rs", ""),
    ];
    let workspace = read_memory(&files, &at("", None), &options).unwrap();
    assert_eq!(paths(&workspace), ["src/kept.rs", "src/lib.rs"]);
    let options = Options { exclude: vec!["src/{".to_owned()], ..Options::default() };
    let error = read_memory(&files, &at("", None), &options).unwrap_err();
    assert!(error.message.contains("no valid pattern"), "{error}");
}

#[test]
fn broken_manifests_are_errors_with_their_place() {
    let error =
        |manifest: &str| read_memory(&[("Cargo.toml", manifest)], &at("", None), &Options::default()).unwrap_err();
    let broken = error("[package]\nname = 'x'\nedition = \n");
    assert_eq!(broken.path, "Cargo.toml");
    assert_eq!(broken.position.unwrap().line, 3);
    assert!(error("[package]\nversion = '1'").message.contains("package.name"));
    assert!(error("[lib]").message.contains("neither"));
    assert!(error("[workspace]\nmembers = 'a'").message.contains("workspace.members"));
    assert!(error("[workspace]\nmembers = ['a']").message.contains("`a`"));
    assert!(error("[workspace]\nmembers = ['../a']").message.contains("outside"));
    let none = read_memory(&[], &at("", None), &Options::default()).unwrap_err();
    assert!(none.message.contains("no manifest"));
}

#[test]
fn texts_are_read_by_pattern() {
    let tree = memory(&[
        ("app/Cargo.toml", "[package]\nname = 'x'\n[dependencies]\nshared = { path = '../shared' }"),
        ("app/src/lib.rs", ""),
        ("app/migrations/1/up.sql", "create table a ();"),
        ("app/target/x.sql", "no"),
        ("app/node_modules/x.sql", "no"),
        ("app/.hidden/x.sql", "no"),
        ("app/docs/a/b.md", "text"),
        ("app/README.md", "text"),
        ("app/notes.md", "no"),
        ("shared/Cargo.toml", "[package]\nname = 'shared'"),
        ("shared/src/lib.rs", ""),
        ("shared/schema.sql", "create table b ();"),
        ("other/schema.sql", "no"),
    ]);
    let location = at("app", None);
    let (mut workspace, _) = read_tree(&tree, &location, &Options::default(), scan).unwrap();
    let patterns = |texts: &[&str]| -> Vec<String> { texts.iter().map(|text| (*text).to_owned()).collect() };
    let include = patterns(&["**/*.sql", "**/README*", "docs/**/*.md"]);
    let listed = listed(&tree, &location, &mut workspace);
    add_texts(&tree, &location, &mut workspace, &listed, &include, &[]).unwrap();
    add_texts(&tree, &location, &mut workspace, &listed, &include, &[]).unwrap();
    let found: Vec<&str> = workspace.texts.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(found, ["../shared/schema.sql", "README.md", "docs/a/b.md", "migrations/1/up.sql"]);
}

// ---- on disk ----

fn write(root: &Path, path: &str, bytes: impl AsRef<[u8]>) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

fn read_disk(path: &Path) -> Workspace {
    let location = locate(&Input::Path(path.to_owned())).unwrap();
    read(&location, &Options::default(), scan).unwrap().0
}

#[test]
fn a_workspace_is_found_from_below() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::create_dir(root.join(".git")).unwrap();
    write(root, "back/Cargo.toml", "[workspace]\nmembers = ['a']\nexclude = ['lone']");
    write(root, "back/a/Cargo.toml", "[package]\nname = 'a'");
    write(root, "back/a/src/deep/lib.rs", "");
    write(root, "back/lone/Cargo.toml", "[package]\nname = 'lone'");
    write(root, "back/elsewhere/Cargo.toml", "[package]\nname = 'e'\nworkspace = '..'");
    let found = |input: Input| {
        let location = locate(&input).unwrap();
        (location.workspace, location.package)
    };
    let member = ("back".to_owned(), Some("back/a".to_owned()));
    assert_eq!(found(Input::Around(root.join("back/a/src/deep"))), member);
    assert_eq!(found(Input::Path(root.join("back/a"))), member);
    assert_eq!(found(Input::Manifest(root.join("back/a/Cargo.toml"))), member);
    assert_eq!(found(Input::Path(root.join("back"))), ("back".to_owned(), None));
    assert_eq!(found(Input::Path(root.join("back/lone"))), ("back/lone".to_owned(), None));
    assert_eq!(found(Input::Path(root.join("back/elsewhere"))), ("back".to_owned(), Some("back/elsewhere".to_owned())));
    for wrong in [
        Input::Path(root.join("nowhere")),
        Input::Path(root.join("back/a/src")),
        Input::Path(root.join(".git")),
        Input::Manifest(root.join("back")),
    ] {
        assert!(locate(&wrong).is_err(), "{wrong:?}");
    }
}

#[test]
fn a_lone_file_is_a_crate_and_its_folder_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root, "in/my-tool.rs", "mod part;\n#[path = \"../out.rs\"]\nmod out;");
    write(root, "in/part.rs", "");
    write(root, "out.rs", "");
    let workspace = read_disk(&root.join("in/my-tool.rs"));
    assert_eq!(paths(&workspace), ["my-tool.rs", "part.rs"]);
    let package = &workspace.packages[0];
    assert_eq!((package.edition, package.reported), (2024, true));
    assert_eq!(targets(package), [(TargetKind::Lib, "my_tool")]);
}

#[test]
fn what_cannot_be_read_is_a_problem_of_that_file() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root, "Cargo.toml", "\u{FEFF}[package]\r\nname = 'x'\r\n");
    write(root, "src/lib.rs", "mod latin;\nmod dir;\nmod fine;\nmod nul;\nmod gone;\n");
    write(root, "src/latin.rs", b"// caf\xE9");
    write(root, "src/dir.rs/inner", "");
    write(root, "src/fine.rs", "\u{FEFF}fn f() {}\r\n");
    write(root, "src/nul.rs", "\0");
    let workspace = read_disk(root);
    assert_eq!(paths(&workspace), ["src/fine.rs", "src/latin.rs", "src/lib.rs", "src/nul.rs"]);
    let latin = workspace.file(workspace.find("src/latin.rs").unwrap());
    assert!(latin.text.is_empty());
    assert!(latin.problem.as_ref().unwrap().contains("not UTF-8 from byte 6"));
    let problems = workspace.files.iter().filter(|file| file.problem.is_some());
    assert_eq!(problems.count(), 1);
}

#[cfg(unix)]
#[test]
fn links_are_followed_inside_the_repository_only() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("repo");
    write(folder.path(), "secret.rs", "mod more;");
    write(folder.path(), "outside/mod.rs", "");
    write(&root, "Cargo.toml", "[package]\nname = 'x'\n[dependencies]\no = { path = 'link' }");
    fs::create_dir(root.join(".git")).unwrap();
    write(&root, "src/lib.rs", "mod secret;\nmod outside;\nmod same;\nmod real;\nmod turn;\nmod pipe;\nmod device;");
    write(&root, "src/real.rs", "");
    write(&root, "src/turn/mod.rs", "mod turn;");
    symlink(folder.path().join("secret.rs"), root.join("src/secret.rs")).unwrap();
    symlink(folder.path().join("outside"), root.join("src/outside")).unwrap();
    symlink(folder.path(), root.join("link")).unwrap();
    symlink("real.rs", root.join("src/same.rs")).unwrap();
    symlink(".", root.join("src/turn/turn")).unwrap();
    symlink("/dev/zero", root.join("src/device.rs")).unwrap();
    symlink("itself.rs", root.join("src/itself.rs")).unwrap();
    let workspace = read_disk(&root);
    let read: Vec<&str> =
        workspace.files.iter().filter(|file| file.problem.is_none()).map(|file| file.path.as_str()).collect();
    assert_eq!(read, ["src/lib.rs", "src/real.rs", "src/turn/mod.rs"]);
    assert_eq!(workspace.find("src/same.rs"), workspace.find("src/real.rs"));
    let refused = workspace.find("src/secret.rs").unwrap();
    let refused = workspace.file(refused);
    assert!(refused.text.is_empty());
    assert!(refused.problem.as_ref().unwrap().contains("out of the repository"));
}

#[cfg(unix)]
#[test]
fn pipes_do_not_block() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root, "Cargo.toml", "[package]\nname = 'x'");
    write(root, "src/lib.rs", "mod pipe;");
    let made = std::process::Command::new("mkfifo").arg(root.join("src/pipe.rs")).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    let workspace = read_disk(root);
    let pipe = workspace.file(workspace.find("src/pipe.rs").unwrap());
    assert!(pipe.problem.as_ref().unwrap().contains("no regular file"));
}

/// A folder in which a file goes away between listing and reading.
struct Vanishing(Memory);

impl Tree for Vanishing {
    fn read(&self, path: &str) -> Result<Content, Refusal> {
        if path.ends_with("bin/gone.rs") {
            return Err(Refusal::Missing);
        }
        self.0.read(path)
    }
    fn list(&self, folder: &str) -> Vec<Entry> {
        self.0.list(folder)
    }
    fn size(&self, path: &str) -> Option<u64> {
        self.0.size(path)
    }
}

#[test]
fn a_file_that_vanishes_does_not_end_the_run() {
    let tree = Vanishing(memory(&[
        ("Cargo.toml", "[package]\nname = 'x'\nedition = '2021'"),
        ("src/lib.rs", ""),
        ("src/bin/gone.rs", ""),
        ("src/bin/kept.rs", ""),
    ]));
    let (workspace, _) = read_tree(&tree, &at("", None), &Options::default(), scan).unwrap();
    let gone = workspace.file(workspace.find("src/bin/gone.rs").unwrap());
    assert!(gone.problem.as_ref().unwrap().contains("is not there"));
    assert_eq!(workspace.files.len(), 3);
}

#[test]
fn the_result_is_the_same_for_any_number_of_threads() {
    let mut files: Vec<(String, String)> = vec![("Cargo.toml".to_owned(), "[package]\nname = 'x'".to_owned())];
    let mods: String = (0..200).map(|number| format!("mod m{number};\n")).collect();
    files.push(("src/lib.rs".to_owned(), mods));
    for number in 0..200 {
        files.push((format!("src/m{number}.rs"), format!("mod n{number};")));
        files.push((format!("src/m{number}/n{number}.rs"), String::new()));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let read = |threads: usize| {
        let options = Options { threads, ..Options::default() };
        let (workspace, lengths) = read_tree(&memory(&files), &at("", None), &options, scan).unwrap();
        assert!(workspace.files.iter().zip(&lengths).all(|(file, &length)| file.text.len() == length));
        format!("{workspace:?}")
    };
    assert_eq!(read(1), read(8));
    assert_eq!(read(1).matches("n199.rs").count(), 1);
}
