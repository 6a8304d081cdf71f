//! Work on many independent things with several threads, in an order that does not depend on them.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Stack of a worker. Bodies are gated by nesting when they are lowered; what the gate lets through fits.
const STACK: usize = 64 << 20;
/// What a worker takes at once, at most: enough that nobody waits for the counter.
const CHUNK: usize = 64;
/// Parts that each worker gets of little work, so that all end at about the same time.
const PARTS: usize = 8;

/// Calls `work` for every number below `count`; each worker makes its own state first. Results come back by number.
pub(crate) fn map<S, R: Send>(
    count: usize,
    threads: usize,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let chunk = count.div_ceil(threads.max(1) * PARTS).clamp(1, CHUNK);
    let run = || {
        let mut state = state();
        let mut done: Vec<(usize, Vec<R>)> = Vec::new();
        loop {
            let start = next.fetch_add(chunk, Ordering::Relaxed);
            if start >= count {
                return done;
            }
            let end = (start + chunk).min(count);
            let results = (start..end).map(|number| work(&mut state, number));
            done.push((start, results.collect()));
        }
    };
    let mut chunks: Vec<(usize, Vec<R>)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1))
            .filter_map(|_| std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run).ok())
            .collect();
        let mut chunks = Vec::new();
        for worker in workers {
            match worker.join() {
                Ok(done) => chunks.extend(done),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        // no thread could be started, or a chunk is left: do it here
        chunks.extend(run());
        chunks
    });
    chunks.sort_by_key(|chunk| chunk.0);
    chunks.into_iter().flat_map(|chunk| chunk.1).collect()
}

/// Frees something large while the work goes on, where there is a thread for it. Nothing waits for it, and what ends the
/// process ends it, too.
pub(crate) fn discard<T: Send + 'static>(value: T, threads: usize) {
    if threads > 1 {
        // where no thread can be started, the closure and with it the value is dropped here
        drop(std::thread::Builder::new().spawn(move || drop(value)));
    }
}
