"""A mosquitto that is killed, a subscriber that receives everything, and a gate in front of it.

Mosquitto loses messages in flight when it is killed, so the hub reaches it through the gate, which is open only while
the subscriber is subscribed: acknowledged messages have then been sent to the subscriber.
"""
import pathlib
import socket
import struct
import subprocess
import threading
import time


class Broker:
    def __init__(self, directory, port, gate):
        self.port, self.heard, self.isOver = port, [], False
        self.file = pathlib.Path(directory) / "mosquitto.conf"
        self.file.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\n")
        self.pairs, self.lock, self.isOpen = set(), threading.Lock(), False
        self.listener = socket.create_server(("127.0.0.1", gate))
        self.start()
        for task in (self.subscribe, self.accept):
            threading.Thread(target=task, daemon=True).start()

    def start(self):
        self.process = subprocess.Popen(["mosquitto", "-c", str(self.file)], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def subscribe(self):
        while not self.isOver:
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
                    connection.settimeout(None)
                    connection.sendall(b"\x10\x12\x00\x04MQTT\x04\x02\x00\x00\x00\x06listen")
                    # QoS 0, because with QoS 1 the broker would hold messages beyond its window of messages in flight.
                    connection.sendall(b"\x82\x06\x00\x01\x00\x01#\x00")
                    self.read(connection.makefile("rb"), connection)
            except OSError:
                pass
            self.shut()
            time.sleep(0.05)

    def read(self, stream, connection):
        while head := stream.read(1):
            length = shift = 0
            while True:
                octet = stream.read(1)
                if not octet:
                    return
                length |= (octet[0] & 0x7F) << shift
                shift += 7
                if octet[0] < 0x80:
                    break
            body = stream.read(length)
            if len(body) < length:
                return
            if head[0] >> 4 == 9:
                self.isOpen = True
            if head[0] >> 4 == 3:
                size = struct.unpack(">H", body[:2])[0]
                rest = body[2 + size:]
                if head[0] & 6:
                    connection.sendall(b"\x40\x02" + rest[:2])
                    rest = rest[2:]
                self.heard.append((body[2:2 + size].decode(), rest.decode(errors="replace")))

    def accept(self):
        while not self.isOver:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            if not self.isOpen:
                client.close()
                continue
            try:
                server = socket.create_connection(("127.0.0.1", self.port), timeout=5)
            except OSError:
                client.close()
                continue
            server.settimeout(None)
            with self.lock:
                self.pairs |= {client, server}
            for one, other in ((client, server), (server, client)):
                threading.Thread(target=self.pump, args=(one, other), daemon=True).start()

    def pump(self, one, other):
        try:
            while data := one.recv(65536):
                other.sendall(data)
        except OSError:
            pass
        for end in (one, other):
            with self.lock:
                self.pairs.discard(end)
            self.end(end)

    @staticmethod
    def end(connection):
        try:
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def shut(self):
        self.isOpen = False
        with self.lock:
            pairs, self.pairs = self.pairs, set()
        for connection in pairs:
            self.end(connection)

    def stop(self):
        self.isOver = True
        self.listener.close()
        self.kill()
