// The fake of Stripe for the checks: its API for the service, and its host names for the browser, over TLS.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

const names = ['js', 'api', 'hooks'].map(name => `${name}.stripe.com`);

export class Stripe {
  /// The allowed requests of a page to other hosts.
  static requests = /^a request to somebody else: https:\/\/(js|api|hooks)\.stripe\.com\//;

  static async start() {
    const stripe = new Stripe();
    stripe.folder = await mkdtemp(path.join(tmpdir(), 'till-stripe-'));
    const [certificate, key] = ['cert.pem', 'key.pem'].map(name => path.join(stripe.folder, name));
    execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2',
      '-subj', '/CN=js.stripe.com', '-keyout', key, '-out', certificate], { stdio: 'ignore' });
    const words = ['--secret-key', 'sk_test_browser', '--publishable-key', 'pk_test_browser', '--tls', certificate, key];
    // It ends when its input does.
    stripe.process = spawn('python3', ['tests/providers/stripe/fake.py', ...words], { stdio: ['pipe', 'pipe', 'inherit'] });
    const first = await createInterface(stripe.process.stdout)[Symbol.asyncIterator]().next();
    stripe.ports = JSON.parse(first.value);
    stripe.file = path.join(stripe.folder, 'stripe.toml');
    await writeFile(stripe.file, 'secret_key = "sk_test_browser"\npublishable_key = "pk_test_browser"\n'
      + `webhook_secrets = ["whsec_fake"]\ncurrencies = ["USD", "EUR"]\napi = "http://127.0.0.1:${stripe.ports.api}"\n`);
    return stripe;
  }

  /// The rules by which a browser finds it under Stripe's own host names.
  get rules() { return names.map(name => `MAP ${name}:443 127.0.0.1:${this.ports.tls}`); }

  /// Sends its events to a service from now on.
  hear(service) { return this.control('/endpoint', { url: `${service.url}/notices/stripe/events` }); }

  async control(path, wish = {}) {
    const answer = await fetch(`http://127.0.0.1:${this.ports.control}${path}`, { method: 'POST', body: JSON.stringify(wish) });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return answer.json();
  }

  /// The payment of a session, as Stripe has it.
  async intentOf(session) {
    const { intents } = await this.control('/truth');
    return Object.values(intents).find(intent => intent.metadata.session_id === session.id);
  }

  async stop() {
    this.process.stdin.end();
    await rm(this.folder, { recursive: true, force: true });
  }
}
