// What both programs share: `--name value` arguments and a connection.

import { Redis } from "ioredis";

export function options(...names) {
  const args = process.argv.slice(2);
  const found = {};
  for (const [place, name] of names.entries()) {
    const value = args[2 * place + 1];
    if (args[2 * place] !== `--${name}` || value === undefined) {
      console.error(`usage: node ${process.argv[1]} ${names.map((n) => `--${n} VALUE`).join(" ")}`);
      process.exit(2);
    }
    found[name] = value;
  }
  return found;
}

// BullMQ wants no limit of retries on a connection that blocks; TCP_NODELAY is ioredis' default.
export function connect(url) {
  return new Redis(url, { maxRetriesPerRequest: null });
}
