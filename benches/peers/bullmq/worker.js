// BullMQ's worker with a handler that does nothing.
//
// `node worker.js --redis URL --concurrency N --jobs N` stores the jobs, then starts the worker and
// prints `jobs_per_s=` and `jobs=` once it has completed them all.

import { createHash } from "node:crypto";

import { Queue, Worker } from "bullmq";

import { connect, options } from "./options.js";

const BATCH = 1000;
const QUEUE = "hooks";

const { redis, concurrency, jobs: count } = options("redis", "concurrency", "jobs");
const jobs = Number(count);

const queue = new Queue(QUEUE, { connection: connect(redis) });
for (let first = 0; first < jobs; first += BATCH) {
  const size = Math.min(BATCH, jobs - first);
  await queue.addBulk(Array.from({ length: size }, (_, place) => delivery(first + place)));
}

const worker = new Worker(QUEUE, async () => {}, {
  connection: connect(redis),
  concurrency: Number(concurrency),
  autorun: false,
  removeOnComplete: { count: 0 },
});
await worker.waitUntilReady();

const start = process.hrtime.bigint();
let completed = 0;
worker.on("failed", (_job, error) => {
  console.error(error);
  process.exit(1);
});
worker.on("completed", async () => {
  completed += 1;
  if (completed < jobs) {
    return;
  }
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  const left = await queue.getJobCounts("waiting", "active", "delayed", "failed");
  if (Object.values(left).some((number) => number > 0)) {
    console.error(left);
    process.exit(1);
  }
  console.log(`jobs_per_s=${(jobs / seconds).toFixed(0)} jobs=${jobs}`);
  process.exit(0);
});
worker.run();

function delivery(number) {
  const body = JSON.stringify({ id: number, filler: "x".repeat(280) }).padEnd(300);
  const jobId = createHash("sha256").update(body).digest("hex");
  return { name: "push", data: { body }, opts: { jobId } };
}
