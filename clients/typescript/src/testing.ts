// For your tests: a real Till on a free port, with an empty store that is deleted when it stops.
// Works on Linux and macOS.
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { inspect } from "node:util";
import { ManualClock } from "./clock.js";
import { Till, type TillOptions } from "./client.js";
import { TillError } from "./errors.js";
import type { Credentials } from "./tokens.js";

export interface TillDemoOptions {
  /** The `till` program; without it the one that `TILL_BINARY` names, else the one on the `PATH`. */
  binary?: string;
  /** Settings of the demo, such as `{ TILL_TOKEN_LIFETIME: "2s" }`. Those in `process.env` are not used. */
  env?: Record<string, string>;
  /** How long the start may take; 20 s by default. */
  timeoutMs?: number;
  /** The port to listen on; a free one by default. URLs contain it, so choose one for the same URLs in every run. */
  port?: number;
  /** Makes every id and secret the same in every run with the same seed; random by default. */
  seed?: number | bigint;
  /** With `"manual"`, time stands still until `demo.advance()` moves it; the system's clock by default. */
  clock?: "manual";
  /** When a manual clock starts; `2026-01-01T00:00:00Z` by default. */
  clockStart?: Date;
}

type DemoProcess = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * Runs the program until its input ends. That happens when the demo is stopped, and also when the process
 * that started it ends in any way, because the operating system then closes the other end.
 */
const GUARD = `
exec 3<&0
"$@" </dev/null 3<&- & demo=$!
{ read -r _ <&3; kill "$demo"; } >/dev/null 2>&1 &
wait "$demo"
`;

/** Can be spread into the options of a client; does not show the secret when it is printed. */
class DemoCredentials implements Credentials {
  constructor(
    readonly clientId: string,
    readonly clientSecret: string,
  ) {}

  toJSON(): object {
    return { clientId: this.clientId };
  }

  [inspect.custom](): object {
    return this.toJSON();
  }
}

/** A running demo. No money moves: live payments go to a simulated bank. */
export class TillDemo {
  readonly #process: DemoProcess;
  readonly #clock: ManualClock | undefined;

  private constructor(
    process: DemoProcess,
    readonly baseUrl: string,
    /** The sandbox credentials of the demo's vendor. */
    readonly sandbox: Credentials,
    /** The live credentials of another vendor, whose payments go to a simulated bank. */
    readonly live: Credentials,
    clockUrl: string | null,
  ) {
    this.#process = process;
    this.#clock = clockUrl === null ? undefined : new ManualClock(clockUrl);
  }

  /** Starts a demo and waits until it accepts requests. */
  static async start(options: TillDemoOptions = {}): Promise<TillDemo> {
    const { env = {}, timeoutMs = 20_000 } = options;
    const binary = options.binary ?? (process.env["TILL_BINARY"] || "till");
    const child = spawn("sh", ["-c", GUARD, "sh", binary, ...argumentsOf(options)], {
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...environmentWithoutSettings(), ...env },
    });
    try {
      const line = await firstLine(child, AbortSignal.timeout(timeoutMs));
      letProcessExit(child);
      return new TillDemo(child, ...parseStart(line));
    } catch (error) {
      child.stdin.destroy();
      throw error;
    }
  }

  /** A client with the demo's credentials, in the sandbox unless you name the other environment. */
  client(options: Partial<TillOptions> = {}): Till {
    const environment = options.environment ?? "sandbox";
    return new Till({ baseUrl: this.baseUrl, ...this[environment], environment, ...options });
  }

  /** The time of a manual clock: pass it as `now` to `verifyCallback`. */
  async now(): Promise<Date> {
    return await this.#manualClock().now();
  }

  /**
   * Moves a manual clock forward, and returns its new time. Everything that becomes due on the way happens at
   * its own time before this resolves: sessions expire, callbacks are sent and retried, refunds end.
   */
  async advance(ms: number): Promise<Date> {
    return await this.#manualClock().advance(ms);
  }

  /** Does what is due now, such as sending the callback after `simulate`, and waits until it is done. */
  async runDue(): Promise<Date> {
    return await this.advance(0);
  }

  #manualClock(): ManualClock {
    if (!this.#clock) throw new TillError('the demo has no manual clock: start it with { clock: "manual" }');
    return this.#clock;
  }

  /** Stops the demo and waits until it has ended. */
  async stop(): Promise<void> {
    const { exitCode, signalCode, stdin } = this.#process;
    if (exitCode !== null || signalCode !== null) return;
    const ended = once(this.#process, "exit");
    this.#process.ref();
    stdin.destroy();
    await ended;
  }
}

function argumentsOf({ port = 0, seed, clock, clockStart }: TillDemoOptions): string[] {
  const args = ["demo", "--ephemeral", "--json", "--port", String(port)];
  if (seed !== undefined) args.push("--seed", String(seed));
  if (clock !== undefined) args.push("--clock", clock);
  if (clockStart !== undefined) args.push("--clock-start", clockStart.toISOString());
  return args;
}

/** Settings of another Till must not reach the demo. */
function environmentWithoutSettings(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("TILL_")));
}

/** The first line that the demo prints, which it does once it accepts requests. */
function firstLine(child: DemoProcess, timeout: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    let log = "";
    const fail = (what: string) => reject(new TillError(`${what}\n${log}`.trim()));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (log = (log + text).slice(-4000)));
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      const end = output.indexOf("\n");
      if (end >= 0) resolve(output.slice(0, end));
    });
    child.once("error", reject);
    child.once("close", () => fail("the demo ended before it was ready"));
    timeout.addEventListener("abort", () => fail("the demo was not ready in time"));
  });
}

type Start = [baseUrl: string, sandbox: Credentials, live: Credentials, clockUrl: string | null];

function parseStart(line: string): Start {
  interface Pair {
    client_id: string;
    client_secret: string;
  }
  const credentials = (pair: Pair) => new DemoCredentials(pair.client_id, pair.client_secret);
  const { base_url, vendor, live_vendor, clock_url } = JSON.parse(line) as {
    base_url: string;
    vendor: { sandbox: Pair };
    live_vendor: { live: Pair };
    clock_url?: string | null;
  };
  return [base_url, credentials(vendor.sandbox), credentials(live_vendor.live), clock_url ?? null];
}

/** A demo that was not stopped does not keep the tests from ending; it then ends with them. */
function letProcessExit(child: DemoProcess): void {
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr]) {
    (stream as Partial<{ unref(): void }>).unref?.();
  }
}
