// A minimal test runner: each check runs on its own, and all failures are listed at the end.
import { performance } from 'node:perf_hooks';

const checks = [];

/// Registers a check. `fn` gets a `Trial`, whose browser contexts are closed afterwards.
export const check = (name, fn, { seconds = 60 } = {}) => checks.push({ name, fn, seconds });

export class Failure extends Error {}

/// Fails with a message and the value that was found instead.
export const expect = (ok, what, found) => {
  if (!ok) throw new Failure(found === undefined ? what : `${what}; found: ${show(found)}`);
};

export const same = (found, wanted, what) => {
  const [a, b] = [show(found), show(wanted)];
  if (a !== b) throw new Failure(`${what}\n      wanted: ${b}\n      found:  ${a}`);
};

const show = value => (typeof value === 'string' ? value : JSON.stringify(value));

export const sleep = ms => new Promise(done => setTimeout(done, ms));

/// Repeats `ask` until its result is truthy, and returns it.
export const until = async (what, ask, ms = 30_000) => {
  const end = performance.now() + ms;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (performance.now() > end) throw new Failure(`after ${ms / 1000} s still not: ${what}`);
    await sleep(50);
  }
};

const limited = (work, seconds) => {
  let timer;
  const late = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Failure(`took longer than ${seconds} s`)), seconds * 1000);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
};

/// Runs one check. Returns nothing, or the error and the URLs of its pages.
const attempt = async ({ name, fn, seconds }, makeTrial) => {
  const started = performance.now(), trial = makeTrial(name);
  let failure;
  try {
    await limited((async () => { await fn(trial); await trial.verdict(); })(), seconds);
  } catch (error) {
    failure = error;
  }
  await trial.close(failure).catch(() => {});
  const took = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${failure ? 'FAILED' : 'ok    '} ${took.padStart(5)} s  ${name}`);
  return failure && { name, failure, places: trial.places() };
};

const tell = (word, { name, failure, places }) => {
  const ours = failure instanceof Failure;
  const where = ours ? `\n    ${line(failure)}` : '';
  console.log(`\n${word} ${name}\n    ${ours ? failure.message : failure.stack}${where}${places}`);
};

/// Runs the checks whose names contain `words`, a few at a time, the longest first. A failed check runs once
/// more, alone: on a busy machine a page can be late. Returns the number of checks that failed twice; those
/// that failed once are printed.
export const run = async (words, makeTrial, atOnce = 6) => {
  const chosen = checks.filter(({ name }) => name.includes(words));
  if (!chosen.length) throw new Error(`no check's name contains ${JSON.stringify(words)}`);
  const unsteady = [], failures = [], queue = [...chosen].sort((a, b) => b.seconds - a.seconds);
  const worker = async () => {
    for (let next; (next = queue.shift());) {
      const failed = await attempt(next, makeTrial);
      if (failed) unsteady.push({ next, failed });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  for (const { next, failed } of unsteady) {
    const again = await attempt(next, makeTrial);
    if (again) failures.push(again);
    else tell('UNSTEADY, failed once:', failed);
  }
  for (const failure of failures) tell('FAILED', failure);
  console.log(`\n${chosen.length - failures.length} of ${chosen.length} checks are well, ${unsteady.length - failures.length} of them at the second try`);
  return failures.length;
};

/// The stack lines of a failure that are in the checks.
const line = failure =>
  failure.stack.split('\n').filter(text => /tests\/browser\/checks\//.test(text)).map(text => text.trim()).slice(0, 2).join(' ');
