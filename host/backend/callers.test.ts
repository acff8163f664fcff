import type { IncomingHttpHeaders } from 'node:http';
import { requireOwnCaller } from './callers';

interface Row {
  sentence: string;
  method?: string;
  headers: IncomingHttpHeaders;
  bind?: string;
  port?: number;
}

const check = ({ method = 'GET', headers, bind = '127.0.0.1', port = 3000 }: Row): void =>
  requireOwnCaller({ method, headers }, { bind, port });

describe('lets in', () => {
  it.each<Row>([
    { sentence: 'the address', headers: { host: '127.0.0.1:3000' } },
    { sentence: 'localhost in any case', headers: { host: 'LocalHost:3000' } },
    { sentence: 'IPv6', headers: { host: '[::1]:3000' } },
    { sentence: 'the bind address', headers: { host: '192.168.0.7:3000' }, bind: '192.168.0.7' },
    { sentence: 'an IPv6 bind address', headers: { host: '[fd00::7]:3000' }, bind: 'fd00::7' },
    { sentence: 'port 80, which browsers leave out', headers: { host: 'localhost' }, port: 80 },
    { sentence: 'POST of a program', method: 'POST', headers: { host: 'localhost:3000' } },
    {
      sentence: 'POST of the own page',
      method: 'POST',
      headers: { host: 'localhost:3000', origin: 'http://localhost:3000' },
    },
  ])('$sentence', (row) => {
    expect(() => check(row)).not.toThrow();
  });
});

describe('keeps out', () => {
  it.each<Row>([
    { sentence: 'a foreign name that resolves to this machine', headers: { host: 'evil.example:3000' } },
    { sentence: 'a foreign name that begins as ours', headers: { host: 'localhost.evil.example:3000' } },
    { sentence: 'another port', headers: { host: 'localhost:3001' } },
    { sentence: 'no port where one is needed', headers: { host: 'localhost' } },
    { sentence: 'no name', headers: {} },
    {
      sentence: 'POST of a foreign name, of the same origin as itself',
      method: 'POST',
      headers: { host: 'evil.example:3000', origin: 'http://evil.example:3000' },
    },
    {
      sentence: 'POST of another site',
      method: 'POST',
      headers: { host: 'localhost:3000', origin: 'https://evil.example' },
    },
    {
      sentence: 'POST of another program of this machine',
      method: 'POST',
      headers: { host: 'localhost:3000', origin: 'http://localhost:8080' },
    },
    { sentence: 'POST of a sandboxed page', method: 'POST', headers: { host: 'localhost:3000', origin: 'null' } },
    {
      sentence: 'DELETE of another site',
      method: 'DELETE',
      headers: { host: 'localhost:3000', origin: 'https://evil.example' },
    },
  ])('$sentence', (row) => {
    expect(() => check(row)).toThrow(/This server answers under|Only the page of this host/);
  });
});
