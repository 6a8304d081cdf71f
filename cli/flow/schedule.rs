//! Evaluating functions on several threads, callees before their callers.
//!
//! In: functions whose summaries are wanted. Out: the summaries, kept in the analysis. A group of functions is given out
//! when all groups that it calls are done, so that no thread waits for another in the middle of an evaluation, and what
//! comes out does not depend on who did what.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::STACK;
use super::engine::{Analysis, Engine};
use crate::resolve::FnId;

/// Groups that are to be evaluated.
struct Plan {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    ready: VecDeque<u32>,
    /// by group: how many groups it calls are not done
    waiting: Vec<u32>,
    /// by group: who waits for it
    callers: Vec<Vec<u32>>,
    left: usize,
}

impl State {
    /// The wanted functions and all that they call, as far as that is not done.
    fn of(analysis: &Analysis<'_>, wanted: &[FnId]) -> Self {
        let graph = &analysis.graph;
        let is_done = |group: u32| graph.functions(group).iter().all(|&id| analysis.is_done(id));
        let mut seen = vec![false; graph.len()];
        let mut work: Vec<u32> = wanted.iter().map(|&id| graph.component_of(id)).collect();
        let mut groups = Vec::new();
        while let Some(group) = work.pop() {
            if std::mem::replace(&mut seen[group as usize], true) {
                continue;
            }
            // Constants have no summary, but what they call may lack one.
            if !graph.functions(group).is_empty() && is_done(group) {
                seen[group as usize] = false;
                continue;
            }
            groups.push(group);
            work.extend(graph.callees(group));
        }
        let mut state = Self {
            ready: VecDeque::new(),
            waiting: vec![0; graph.len()],
            callers: vec![Vec::new(); graph.len()],
            left: groups.len(),
        };
        // callees have lower numbers: from the front, what others wait for comes first
        groups.sort_unstable();
        for group in groups {
            let open = graph.callees(group).iter().filter(|&&callee| seen[callee as usize]);
            for &callee in open {
                state.callers[callee as usize].push(group);
                state.waiting[group as usize] += 1;
            }
            if state.waiting[group as usize] == 0 {
                state.ready.push_back(group);
            }
        }
        state
    }

    fn finish(&mut self, group: u32) {
        self.left -= 1;
        for caller in std::mem::take(&mut self.callers[group as usize]) {
            let waiting = &mut self.waiting[caller as usize];
            *waiting -= 1;
            if *waiting == 0 {
                self.ready.push_back(caller);
            }
        }
    }
}

impl Plan {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next group that can be evaluated; none when all are given out and done.
    fn next(&self) -> Option<u32> {
        let mut state = self.lock();
        loop {
            if state.left == 0 {
                return None;
            }
            if let Some(group) = state.ready.pop_front() {
                return Some(group);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn finish(&self, group: u32) {
        self.lock().finish(group);
        self.changed.notify_all();
    }
}

/// A group that is done when this is dropped, also by a panic: the others must not wait for ever.
struct Given<'a>(&'a Plan, u32);

impl Drop for Given<'_> {
    fn drop(&mut self) {
        self.0.finish(self.1);
    }
}

/// Evaluates functions and all that they call.
pub(crate) fn evaluate<'p>(analysis: &'p Analysis<'p>, wanted: &[FnId], threads: usize) {
    let plan = Plan { state: Mutex::new(State::of(analysis, wanted)), changed: Condvar::new() };
    on_threads(threads, || {
        let mut engine = Engine::new(analysis);
        while let Some(group) = plan.next() {
            let _given = Given(&plan, group);
            for &id in analysis.graph.functions(group) {
                engine.summary(id);
            }
        }
    });
}

/// Runs the same on so many threads, whose stacks hold the deepest calls that are followed; here, where none can be
/// started.
pub(crate) fn on_threads<R: Send>(threads: usize, work: impl Fn() -> R + Sync) -> Vec<R> {
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1))
            .filter_map(|_| std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, &work).ok())
            .collect();
        if workers.is_empty() {
            return vec![work()];
        }
        let finished = workers.into_iter().map(|worker| match worker.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        finished.collect()
    })
}
