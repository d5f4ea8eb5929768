// An acquirer for the checks: our fake of it, and its payment page under the host name of the real one, over
// TLS.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

const token = '0123456789abcdef0123456789abcdef', key = 'test_browser';
const terminal = '1234567890123DEMO', password = 'fake-password';

/// What sets each apart: the arguments of its fake, the document that sets it up in Till, the host and path of its
/// page, where its notices (webhooks) go, and how the payment of a session is known.
const ACQUIRERS = {
  yookassa: {
    options: ['--key', key],
    document: api => `shop_id = "100500"\nsecret_key = "${key}"\nnotice_token = "${token}"\n`
      + `api = "${api}/v3"\nmethods = ["card", "sbp"]\n`,
    host: 'yoomoney.ru',
    notices: `/notices/yookassa/${token}`,
    isOf: (payment, session) => payment.metadata.session === session.id,
  },
  tbank: {
    options: ['--terminal', terminal, '--password', password],
    document: api => `terminal_key = "${terminal}"\npassword = "${password}"\napi = "${api}"\n`,
    host: 'pay.tbank.ru',
    notices: '/notices/tbank/terminal',
    isOf: (payment, session) => payment.back.startsWith(session.url),
  },
};

export class Acquirer {
  static async start(name) {
    const made = Object.assign(new Acquirer(), ACQUIRERS[name]);
    made.process = spawn('python3', ['-B', `tests/providers/${name}/fake.py`, ...made.options], { stdio: ['pipe', 'pipe', 'inherit'] });
    const { value } = await createInterface(made.process.stdout)[Symbol.asyncIterator]().next();
    made.ports = JSON.parse(value);
    made.folder = await mkdtemp(path.join(tmpdir(), `till-${name}-`));
    made.file = path.join(made.folder, `${name}.toml`);
    await writeFile(made.file, made.document(`http://127.0.0.1:${made.ports.api}`));
    await made.openPage();
    await made.does('settings', { page: `https://${made.host}/page/{id}` });
    return made;
  }

  /// The page that customers are sent to: the fake's page, at the URL of the real one.
  async openPage() {
    const [certificate, secret] = ['cert.pem', 'key.pem'].map(name => path.join(this.folder, name));
    execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2',
      '-subj', `/CN=${this.host}`, '-keyout', secret, '-out', certificate], { stdio: 'ignore' });
    const identity = { cert: await readFile(certificate), key: await readFile(secret) };
    this.front = https.createServer(identity, (request, response) => {
      const { method, url, headers } = request;
      const behind = http.request({ host: '127.0.0.1', port: this.ports.control, method, path: url, headers }, answer => {
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
      });
      request.pipe(behind);
    });
    this.front.listen(0, '127.0.0.1');
    await once(this.front, 'listening');
    /// The rule by which the browser finds the page there.
    this.rule = `MAP ${this.host}:443 127.0.0.1:${this.front.address().port}`;
  }

  /// Sends its notices to this service.
  tells(service) { return this.does('notify', { url: `${service.url}${this.notices}` }); }

  async does(command, given) {
    const answer = await fetch(`http://127.0.0.1:${this.ports.control}/${command}`, { method: 'POST', body: JSON.stringify(given) });
    if (!answer.ok) throw new Error(`${command}: ${answer.status} ${await answer.text()}`);
  }

  /// The newest payment of a session, as the fake has it.
  async payment(session) {
    const truth = await (await fetch(`http://127.0.0.1:${this.ports.control}/truth`)).json();
    return truth.payments.findLast(payment => this.isOf(payment, session));
  }

  async stop() {
    this.process.kill();
    this.front.close();
    this.front.closeAllConnections();
    await rm(this.folder, { recursive: true, force: true });
  }
}
