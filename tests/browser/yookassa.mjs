// YooKassa for the checks: our fake of it, and its payment page under the host name of the real one, over
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

export class Yookassa {
  static async start() {
    const shop = new Yookassa();
    shop.process = spawn('python3', ['-B', 'tests/providers/yookassa/fake.py', '--key', key], { stdio: ['pipe', 'pipe', 'inherit'] });
    const { value } = await createInterface(shop.process.stdout)[Symbol.asyncIterator]().next();
    shop.ports = JSON.parse(value);
    shop.folder = await mkdtemp(path.join(tmpdir(), 'till-yookassa-'));
    shop.file = path.join(shop.folder, 'yookassa.toml');
    await writeFile(shop.file, `shop_id = "100500"\nsecret_key = "${key}"\nnotice_token = "${token}"\n`
      + `api = "http://127.0.0.1:${shop.ports.api}/v3"\nmethods = ["card", "sbp"]\n`);
    await shop.openPage();
    await shop.does('settings', { page: 'https://yoomoney.ru/page/{id}' });
    return shop;
  }

  /// The page that customers are sent to: the fake's page, at the URL of the real one.
  async openPage() {
    const [certificate, secret] = ['cert.pem', 'key.pem'].map(name => path.join(this.folder, name));
    execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2',
      '-subj', '/CN=yoomoney.ru', '-keyout', secret, '-out', certificate], { stdio: 'ignore' });
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
    this.rule = `MAP yoomoney.ru:443 127.0.0.1:${this.front.address().port}`;
  }

  /// Sends its notices (webhooks) to this service.
  tells(service) { return this.does('notify', { url: `${service.url}/notices/yookassa/${token}` }); }

  async does(command, given) {
    const answer = await fetch(`http://127.0.0.1:${this.ports.control}/${command}`, { method: 'POST', body: JSON.stringify(given) });
    if (!answer.ok) throw new Error(`${command}: ${answer.status} ${await answer.text()}`);
  }

  /// The payment of a session, as the fake has it.
  async payment(session) {
    const truth = await (await fetch(`http://127.0.0.1:${this.ports.control}/truth`)).json();
    return truth.payments.find(payment => payment.metadata.session === session.id);
  }

  async stop() {
    this.process.kill();
    this.front.close();
    this.front.closeAllConnections();
    await rm(this.folder, { recursive: true, force: true });
  }
}
