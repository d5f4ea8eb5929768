// A service for the tests: on a free port, with a vendor, its API, and a shop that receives callbacks.
import { execFile, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { openSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { until } from './harness.mjs';

const binary = path.resolve(process.env.TILL_BINARY ?? 'target/debug/till');
const paths = {
  live: { token: '/api/tokens', session: '/api/product/session' },
  sandbox: { token: '/api/sandbox/vendor/tokens', session: '/api/sandbox/vendor/checkout-session' },
};

/// A port that was free a moment ago.
export const freePort = () => new Promise((done, fail) => {
  const server = net.createServer().on('error', fail).listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    server.close(() => done(port));
  });
});

/// The shop: records callbacks, and is the return URL of customers.
export class Shop {
  callbacks = [];

  static async open() {
    const shop = new Shop();
    shop.server = http.createServer((request, response) => shop.answer(request, response));
    await new Promise(done => shop.server.listen(0, '127.0.0.1', done));
    shop.url = `http://127.0.0.1:${shop.server.address().port}`;
    return shop;
  }

  answer(request, response) {
    if (request.method !== 'POST') {
      response.setHeader('Content-Type', 'text/html');
      response.end('<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>The shop</title><h1>The shop</h1>');
      return;
    }
    const parts = [];
    request.on('data', part => parts.push(part)).on('end', () => {
      this.callbacks.push(JSON.parse(Buffer.concat(parts).toString()));
      response.writeHead(204).end();
    });
  }

  of(session) {
    return this.callbacks.filter(callback => callback.sessionId === session.id);
  }

  close() {
    this.server.close();
    this.server.closeAllConnections();
  }
}

/// A mail server that accepts and keeps every mail.
export class Postbox {
  letters = [];

  static async open() {
    const box = new Postbox();
    box.server = net.createServer(socket => box.serve(socket));
    await new Promise(done => box.server.listen(0, '127.0.0.1', done));
    box.settings = {
      TILL_SMTP_URL: `smtp://127.0.0.1:${box.server.address().port}?tls=none`,
      TILL_MAIL_FROM: 'Till <till@pay.example>',
    };
    return box;
  }

  serve(socket) {
    let rest = '', letter;
    socket.on('error', () => {}).setEncoding('utf8').write('220 postbox\r\n');
    socket.on('data', text => {
      rest += text;
      for (let end; (end = rest.indexOf('\r\n')) >= 0;) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 2);
        if (letter !== undefined && line !== '.') letter += `${line}\n`;
        else if (letter !== undefined) { this.letters.push(letter); letter = undefined; socket.write('250 kept\r\n'); }
        else if (/^DATA/i.test(line)) { letter = ''; socket.write('354 go on\r\n'); }
        else if (/^QUIT/i.test(line)) socket.end('221 bye\r\n');
        else socket.write('250 OK\r\n');
      }
    });
  }

  close() { this.server.close(); }
}

export class Service {
  /// Starts a service with these settings in addition to the usual ones.
  static async start(shop, settings = {}) {
    const service = new Service();
    service.shop = shop;
    service.folder = await mkdtemp(path.join(tmpdir(), 'till-browser-'));
    service.environment = {
      PATH: process.env.PATH,
      TILL_DATA_DIR: path.join(service.folder, 'data'),
      TILL_LISTEN: '127.0.0.1:0',
      TILL_MASTER_KEY: randomBytes(32).toString('hex'),
      TILL_SIMULATOR: 'on',
      TILL_ALLOW_PRIVATE_CALLBACKS: 'true',
      TILL_RATE_LIMITS: 'off',
      ...settings,
    };
    service.log = path.join(service.folder, 'log');
    const log = openSync(service.log, 'w');
    service.process = spawn(binary, ['serve'], { env: service.environment, stdio: ['ignore', log, log] });
    service.process.on('error', error => { service.broken = error; });
    service.url = await until('the service serves', async () => {
      if (service.broken) throw service.broken;
      if (service.process.exitCode !== null) throw new Error(`the service ended:\n${await service.read()}`);
      return / serves (http[^ ]*)/.exec(await service.read())?.[1];
    });
    service.vendor = await service.newVendor('Halden Press');
    return service;
  }

  read() { return readFile(this.log, 'utf8'); }

  /// Runs a command of the operator.
  async till(...words) {
    const { stdout } = await promisify(execFile)(binary, words, { env: this.environment });
    return stdout;
  }

  async newVendor(name) {
    const vendor = JSON.parse(await this.till('vendor', 'create', '--name', name, '--sandbox', '--json'));
    await this.till('vendor', 'set', vendor.vendor_id, '--contact-email', 'help@halden.example');
    vendor.tokens = {};
    for (const environment of ['live', 'sandbox']) {
      vendor.tokens[environment] =
        (await this.call('POST', paths[environment].token, vendor[environment])).access_token;
    }
    return vendor;
  }

  async call(method, path, body, token) {
    const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) };
    const answer = await fetch(this.url + path, { method, headers, body: body && JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${text}`);
    return JSON.parse(text);
  }

  /// A new session, with a return URL and callbacks to the shop.
  async session(environment, fields = {}, vendor = this.vendor) {
    const order = randomUUID().slice(0, 8);
    const asked = {
      product_name: 'Field notebook, set of three',
      price: '4990.00',
      currency: 'RUB',
      order_id: order,
      callback_url: `${this.shop.url}/callbacks`,
      return_url: `${this.shop.url}/thanks?session={SESSION_ID}&order={ORDER_ID}`,
      ...fields,
    };
    const made = await this.call('POST', paths[environment].session, asked, vendor.tokens[environment]);
    return { id: made.session_id, url: made.session_url, order: asked.order_id, environment, vendor, service: this };
  }

  async status(session) {
    const path = `${paths[session.environment].session}/${session.id}`;
    return (await this.call('GET', path, undefined, session.vendor.tokens[session.environment])).status;
  }

  /// The errors and panics in the log.
  async complaints() {
    return (await this.read()).split('\n').filter(line => / ERROR |panicked/.test(line));
  }

  async stop() {
    if (this.process.exitCode === null) {
      const ended = new Promise(done => this.process.once('exit', done));
      this.process.kill();
      await ended;
    }
    await rm(this.folder, { recursive: true, force: true });
  }
}

/// A `till demo` with its shop, started with nothing but the binary.
export class Demo {
  static async start() {
    const demo = new Demo(), started = Date.now();
    demo.folder = await mkdtemp(path.join(tmpdir(), 'till-browser-'));
    demo.log = path.join(demo.folder, 'log');
    demo.environment = { PATH: process.env.PATH, TILL_DATA_DIR: path.join(demo.folder, 'data') };
    const words = ['demo', '--port', '0', '--json'];
    demo.process = spawn(binary, words, { env: demo.environment, stdio: ['ignore', 'pipe', openSync(demo.log, 'w')] });
    let line = '';
    demo.process.stdout.on('data', part => { line += part; });
    await until('the demo is ready', async () => {
      if (demo.process.exitCode !== null) throw new Error(`the demo ended:\n${await demo.read()}`);
      return line.includes('\n');
    });
    demo.tookToStart = Date.now() - started;
    demo.facts = JSON.parse(line);
    demo.url = demo.facts.base_url;
    demo.shop = demo.facts.shop_url;
    return demo;
  }

  /// Ends a sandbox session as a test program would.
  async simulate(session, outcome) {
    const token = (await this.call('POST', paths.sandbox.token, this.facts.vendor.sandbox)).access_token;
    return this.call('POST', `${paths.sandbox.session}/${session}/simulate`, outcome, token);
  }
}
for (const name of ['read', 'till', 'call', 'complaints', 'stop']) Demo.prototype[name] = Service.prototype[name];
