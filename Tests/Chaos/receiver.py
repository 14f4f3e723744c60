"""A receiver of webhooks and FHIR transactions, which stores each request on disk before it responds.

    receiver.py PORT FILE SEED
"""
import json
import os
import random
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

port, path, seed = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
lock, dice = threading.Lock(), random.Random(seed)
file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with lock:
            # Some are refused temporarily; some are stored although the response reports a failure.
            fate = dice.random()
            if fate > 0.005:
                line = {"path": self.path, "id": self.headers.get("webhook-id"), "body": body}
                os.write(file, json.dumps(line).encode() + b"\n")
                os.fsync(file)
        status = 200 if fate > 0.01 else dice.choice([500, 503, 429, 408])
        statuses = [{"response": {"status": "201 Created"}} for _ in body.get("entry", [])]
        answer = json.dumps({"resourceType": "Bundle", "type": "transaction-response", "entry": statuses}).encode()
        self.send_response(status)
        if status == 429:
            self.send_header("Retry-After", "0")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    allow_reuse_address = True
    daemon_threads = True


Server(("127.0.0.1", port), Handler).serve_forever()
