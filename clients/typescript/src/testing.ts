// For your tests: a real Till on a free port, with an empty store that is deleted when it stops.
// Works on Linux and macOS.
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { inspect } from "node:util";
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

  private constructor(
    process: DemoProcess,
    readonly baseUrl: string,
    /** The sandbox credentials of the demo's vendor. */
    readonly sandbox: Credentials,
    /** The live credentials of another vendor, whose payments go to a simulated bank. */
    readonly live: Credentials,
  ) {
    this.#process = process;
  }

  /** Starts a demo and waits until it accepts requests. */
  static async start(options: TillDemoOptions = {}): Promise<TillDemo> {
    const { env = {}, timeoutMs = 20_000 } = options;
    const binary = options.binary ?? (process.env["TILL_BINARY"] || "till");
    const command = [binary, "demo", "--ephemeral", "--port", "0", "--json"];
    const child = spawn("sh", ["-c", GUARD, "sh", ...command], {
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

function parseStart(line: string): [baseUrl: string, sandbox: Credentials, live: Credentials] {
  interface Pair {
    client_id: string;
    client_secret: string;
  }
  const credentials = (pair: Pair) => new DemoCredentials(pair.client_id, pair.client_secret);
  const { base_url, vendor, live_vendor } = JSON.parse(line) as {
    base_url: string;
    vendor: { sandbox: Pair };
    live_vendor: { live: Pair };
  };
  return [base_url, credentials(vendor.sandbox), credentials(live_vendor.live)];
}

/** A demo that was not stopped does not keep the tests from ending; it then ends with them. */
function letProcessExit(child: DemoProcess): void {
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr]) {
    (stream as Partial<{ unref(): void }>).unref?.();
  }
}
