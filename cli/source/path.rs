//! Paths as texts with `/`: joined, normalised, made relative, without asking the disk.

/// `base` and `path` put together, `.` and `..` resolved; `None` if that leads above the root or `path` is absolute.
pub(super) fn join(base: &str, path: &str) -> Option<String> {
    let path = if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() };
    if path.starts_with('/') || (cfg!(windows) && path.contains(':')) {
        return None;
    }
    let mut parts: Vec<&str> = base.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The folder of a path; empty for the root.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The last part of a path.
pub(super) fn name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Whether `path` is `folder` or below it.
pub(super) fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// `path` as seen from `folder`, both from one root: `../` where it must be.
pub(super) fn relative(path: &str, folder: &str) -> String {
    let mut from = folder.split('/').filter(|part| !part.is_empty()).peekable();
    let mut to = path.split('/').filter(|part| !part.is_empty()).peekable();
    while let (Some(left), Some(right)) = (from.peek(), to.peek()) {
        if left != right {
            break;
        }
        from.next();
        to.next();
    }
    let mut parts: Vec<&str> = from.map(|_| "..").collect();
    parts.extend(to);
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_joined_and_stay_inside() {
        assert_eq!(join("a/b", "../c.rs").as_deref(), Some("a/c.rs"));
        assert_eq!(join("", "./a//b/").as_deref(), Some("a/b"));
        assert_eq!(join("a", "../../b"), None);
        assert_eq!(join("a", "/etc/passwd"), None);
    }

    #[test]
    fn paths_are_made_relative() {
        assert_eq!(relative("a/b/c.rs", "a"), "b/c.rs");
        assert_eq!(relative("lib/c.rs", "back/end"), "../../lib/c.rs");
        assert_eq!(relative("a", "a"), "");
        assert!(is_below("a/b", "a"));
        assert!(!is_below("ab", "a"));
    }
}
