//! How long a whole check of a workspace takes and how much memory, against parsing all of it with syn.
//!
//! Three things are measured: reading and indexing alone; the check as the program runs it; and the check with the
//! bodies of tests lowered, too, which is the worst case. Of the last, 1.6 times the floor is the goal, and 3 times the
//! source and 64 MiB.
//!
//! `cargo bench --bench ratio -- PATH [LOOPS] [THREADS]` needs the floor, which is built with
//! `cargo build --release --manifest-path benches/floor/Cargo.toml`. Both run in a fresh process, one after the other
//! in each loop; what is printed are medians. The allocator is the same, and the floor has no `span-locations`.

#![allow(clippy::disallowed_methods, reason = "a test may read the disk and start programs")]

use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use cargo_effects::config::Config;
use cargo_effects::lower::Selection;
use cargo_effects::{index, pipeline, source};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const FLOOR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/floor/target/release/syn-floor");

/// What is measured, by the words that tell a child process.
const MODES: [&str; 3] = ["index", "check", "check-all"];

/// What a child process says of itself.
struct Run {
    nanoseconds: f64,
    peak: f64,
}

#[expect(clippy::print_stdout, reason = "the figures are the output")]
fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let Some(path) = arguments.first() else {
        println!("no PATH, nothing to measure");
        return Ok(());
    };
    if path == "--child" {
        let mode = arguments.get(3).ok_or("which mode?")?;
        return child(arguments.get(1).ok_or("which path?")?, number(arguments.get(2), 1)?, mode);
    }
    let loops = number(arguments.get(1), 7)?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = number(arguments.get(2), cores)?;
    let (workspace, indexes) = index::read_path(path)?;
    let list: String =
        workspace.files.iter().map(|file| format!("{}\n", workspace.root.join(&file.path).display())).collect();
    let bytes: usize = workspace.files.iter().map(|file| file.text.len()).sum();
    println!(
        "{path}: {} packages, {} files, {:.1} MB, {} items, {threads} threads, {loops} loops",
        workspace.packages.len(),
        workspace.files.len(),
        bytes as f64 / 1e6,
        indexes.iter().map(|index| index.items.len()).sum::<usize>(),
    );
    drop((workspace, indexes));
    let mut floors = Vec::new();
    let mut owns: [Vec<Run>; MODES.len()] = Default::default();
    for _ in 0..loops {
        floors.push(run(Path::new(FLOOR), &[&threads.to_string()], &list)?);
        for (mode, runs) in MODES.iter().zip(&mut owns) {
            runs.push(run(&std::env::current_exe()?, &["--child", path, &threads.to_string(), mode], "")?);
        }
    }
    print("floor", &floors, &floors, bytes);
    for (mode, runs) in MODES.iter().zip(&owns) {
        print(mode, runs, &floors, bytes);
    }
    Ok(())
}

/// One line: the median of the ratios of each loop, time and memory.
#[expect(clippy::print_stdout, reason = "the figures are the output")]
fn print(name: &str, runs: &[Run], floors: &[Run], bytes: usize) {
    let ratios = runs.iter().zip(floors).map(|(run, floor)| run.nanoseconds / floor.nanoseconds);
    let peak = median(runs.iter().map(|run| run.peak).collect());
    println!(
        "{name:<10} {:.3} x floor, {:.1} ms, peak {:.1} MB = {:.2} x source",
        median(ratios.collect()),
        median(runs.iter().map(|run| run.nanoseconds).collect()) / 1e6,
        peak / 1e3,
        peak * 1024.0 / bytes as f64,
    );
}

/// One measured pass, in a process of its own.
#[expect(clippy::print_stdout, reason = "the parent reads this")]
fn child(path: &str, threads: usize, mode: &str) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let location = source::locate(&source::Input::Path(path.into()))?;
    let options = source::Options { threads, ..source::Options::default() };
    let (mut workspace, indexes) = index::read(&location, &options)?;
    if mode != "index" {
        let config = Config::default();
        let tree = source::Disk::new(location.repository.clone());
        pipeline::add_texts(&tree, &location, &mut workspace, &config)?;
        let selection = if mode == "check-all" { Selection::All } else { Selection::WithoutTests };
        let analysis = pipeline::analyse(workspace, &indexes, config, selection, threads);
        let report = analysis.check(&pipeline::policy(&analysis, Vec::new(), None));
        std::hint::black_box(report);
    }
    println!("{} {}", start.elapsed().as_nanos(), peak().unwrap_or(0));
    Ok(())
}

fn run(program: &Path, arguments: &[&str], input: &str) -> Result<Run, Box<dyn Error>> {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{}: {error}; build it first", program.display()))?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input.as_bytes())?;
    }
    let output = child.wait_with_output()?;
    let text = String::from_utf8(output.stdout)?;
    let mut numbers = text.split_whitespace().map(str::parse::<f64>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(nanoseconds)), Some(Ok(peak))) if output.status.success() => Ok(Run { nanoseconds, peak }),
        _ => Err(format!("{} failed: {text}", program.display()).into()),
    }
}

fn number(argument: Option<&String>, default: usize) -> Result<usize, std::num::ParseIntError> {
    argument.map_or(Ok(default), |text| text.parse())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The greatest amount of memory so far, in KiB, where the system tells.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
