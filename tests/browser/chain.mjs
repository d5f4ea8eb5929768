// A real chain for the checks: anvil on a free port, with a token on it, and a service that takes payments there.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { until } from './harness.mjs';

/// The account key of anvil's own well-known mnemonic; the funded accounts have another mnemonic.
const xpub = 'xpub6Ce9NcJvTk36xtLSrJLZqE7wtgA5deCeYs7rSQtreh4cj6ByPtrg9sD7V2FNFLPnf8heNP3FGkeV9qwfzvZNSd54JoNXVsXFYSYwHsnJxqP';

const word = number => BigInt(number).toString(16).padStart(64, '0');

export class Chain {
  static async start() {
    const chain = new Chain();
    const words = ['--port', '0', '--chain-id', '31337', '--mnemonic-seed-unsafe', '7'];
    chain.process = spawn('.tools/evm/node_modules/.bin/anvil', words, { stdio: ['ignore', 'pipe', 'ignore'] });
    let said = '';
    chain.process.stdout.on('data', part => { if (!chain.url) said += part; });
    chain.process.on('error', error => { chain.broken = error; });
    chain.url = await until('the chain answers', () => {
      if (chain.broken) throw chain.broken;
      const port = /Listening on 127\.0\.0\.1:(\d+)/.exec(said)?.[1];
      return port && `http://127.0.0.1:${port}`;
    });
    [chain.rich] = await chain.ask('eth_accounts');
    chain.token = await chain.deploy('USDC', 6);
    await chain.call(chain.token, `0x40c10f19${word(chain.rich)}${word(10n ** 15n)}`);
    chain.folder = await mkdtemp(path.join(tmpdir(), 'till-chain-'));
    chain.file = path.join(chain.folder, 'evm.toml');
    await writeFile(chain.file, chain.document());
    return chain;
  }

  /// The set-up document for this chain.
  document() {
    const coin = (symbol, decimals, contract = '') => `[[chain.coin]]\nsymbol = "${symbol}"\ndecimals = ${decimals}\n${contract && `contract = "${contract}"\n`}`;
    const price = (coin, fixed) => `[[price]]\ncoin = "${coin}"\ncurrency = "USD"\nfixed = "${fixed}"\n`;
    return `price_max_age = "2m"\n[[chain]]\nid = 31337\nname = "Anvil"\nendpoints = ["${this.url}"]\nxpub = "${xpub}"\n`
      + `confirmations = 4\npoll = "250ms"\n${coin('USDC', 6, this.token)}${coin('ETH', 18)}${price('USDC', '1')}${price('ETH', '2500')}`;
  }

  async ask(method, params = []) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = await fetch(this.url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    const { result, error } = await answer.json();
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  /// Sends a transaction, which gets a block at once; returns its receipt.
  async transact(fields) {
    const hash = await this.ask('eth_sendTransaction', [{ from: this.rich, ...fields }]);
    return until('it has a block', () => this.ask('eth_getTransactionReceipt', [hash]));
  }

  async deploy(symbol, decimals) {
    const code = (await readFile('tests/evm/Token.hex', 'utf8')).trim().replace(/^0x/, '');
    const name = Buffer.from(symbol).toString('hex').padEnd(64, '0');
    const data = `0x${code}${word(64)}${word(decimals)}${word(symbol.length)}${name}`;
    return (await this.transact({ data })).contractAddress;
  }

  call(contract, data) { return this.transact({ to: contract, data }); }

  /// Sends tokens to an address.
  sendToken(to, atoms) { return this.call(this.token, `0xa9059cbb${word(to)}${word(atoms)}`); }

  /// Sends the chain's native coin to an address.
  send(to, wei) { return this.transact({ to, value: `0x${BigInt(wei).toString(16)}` }); }

  mine(blocks = 1) { return this.ask('anvil_mine', [`0x${blocks.toString(16)}`]); }

  async stop() {
    this.process.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}
