"""HTTPS for the tests of gputco-refresh: an authority made for the run, nginx
with its certificates, and a server that answers each connection as a script
says, down to the bytes. Loopback only, ports as they are free."""
import os, socket, ssl, struct, subprocess, threading, time


class Authority:
    """A certificate authority in `folder`, and certificates by kind: good
    (127.0.0.1, 127.0.0.2 and localhost), expired, wrong_name, self_signed."""
    KINDS = ("good", "expired", "wrong_name", "self_signed")

    def __init__(self, folder):
        self.folder = folder
        self.ca = self.path("ca.pem")
        own = "subjectAltName=IP:127.0.0.1,IP:127.0.0.2,DNS:localhost"
        self.root("ca", "-addext", "keyUsage=critical,keyCertSign")
        self.root("self_signed", "-addext", own)
        self.leaf("good", own, 30)
        self.leaf("expired", own, -1)
        self.leaf("wrong_name", "subjectAltName=DNS:elsewhere.example", 30)

    def path(self, name):
        return os.path.join(self.folder, name)

    def openssl(self, *args):
        done = subprocess.run(("openssl",) + args, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode:
            raise SystemExit("openssl %s: %s" % (args[0], done.stdout))

    def key(self, kind):
        self.openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", self.path(kind + ".key"))
        return self.path(kind + ".key")

    def root(self, kind, *more):
        self.openssl("req", "-x509", "-new", "-key", self.key(kind), "-subj", "/CN=gputco test " + kind,
                     "-days", "30", "-out", self.path(kind + ".pem"), *more)

    def leaf(self, kind, names, days):
        request, extra = self.path(kind + ".csr"), self.path(kind + ".ext")
        with open(extra, "w") as f:
            f.write(names + "\n")
        self.openssl("req", "-new", "-key", self.key(kind), "-subj", "/CN=gputco test", "-out", request)
        self.openssl("x509", "-req", "-in", request, "-CA", self.ca, "-CAkey", self.path("ca.key"), "-CAcreateserial",
                     "-days", str(days), "-extfile", extra, "-out", self.path(kind + ".pem"))

    def context(self, kind="good"):
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        made.load_cert_chain(self.path(kind + ".pem"), self.path(kind + ".key"))
        return made


def free_port(host="127.0.0.1"):
    with socket.socket() as s:
        s.bind((host, 0))
        return s.getsockname()[1]


def nginx_start(folder, root, authority, places=""):
    """nginx over `root` by HTTP/2: (process, address). Its files in folder."""
    port, conf = free_port(), os.path.join(folder, "nginx.conf")
    with open(conf, "w") as f:
        f.write("""
daemon off; worker_processes 1; pid %(d)s/nginx.pid; error_log %(d)s/error.log;
events { worker_connections 64; }
http {
  types { text/csv csv; text/html html; application/json json; text/xml xml; } default_type text/plain;
  access_log %(d)s/access.log; client_body_temp_path %(d)s/b; proxy_temp_path %(d)s/p;
  fastcgi_temp_path %(d)s/f; uwsgi_temp_path %(d)s/u; scgi_temp_path %(d)s/s;
  ssl_certificate %(c)s/good.pem; ssl_certificate_key %(c)s/good.key;
  server {
    listen 127.0.0.1:%(p)d ssl http2; root %(r)s; gzip on; gzip_types text/csv; gzip_min_length 100;
    location ~ /gcp/ { default_type application/json; try_files $request_uri =404; } # pages by query
    %(places)s
  } }
""" % {"d": folder, "p": port, "r": root, "c": authority.folder, "places": places})
    log = os.path.join(folder, "error.log")
    process = subprocess.Popen(["nginx", "-c", conf, "-p", folder, "-e", log],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 0.2).close()
            return process, "https://127.0.0.1:%d" % port
        except OSError:
            time.sleep(0.05)
    process.kill()
    raise SystemExit("nginx does not start: " + open(log).read())


RESET = object()  # among the pieces of an answer: end it with a reset


class Server:
    """Calls `answer(number, path, request)` for each connection, in the order
    they come, and sends the pieces of bytes it gives; then closes. Kept in
    `asked`: (path, request). `context(number)` gives the certificate, `raw`
    (number -> pieces or None) what is sent in place of any TLS."""

    def __init__(self, answer, context, raw=lambda number: None, host="127.0.0.1"):
        self.answer, self.context, self.raw = answer, context, raw
        self.asked, self.connections = [], 0
        self.socket = socket.socket()
        self.socket.bind((host, 0))
        self.socket.listen(50)
        self.port = self.socket.getsockname()[1]
        self.address = "https://%s:%d" % (host, self.port)
        self.over = False
        threading.Thread(target=self.serve, daemon=True).start()

    def close_door(self):
        """Nobody listens any more; what is being said is said to its end."""
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.socket.close()

    def close(self):
        self.over = True
        self.close_door()

    def serve(self):
        while not self.over:
            try:
                plain, _ = self.socket.accept()
            except OSError:
                return
            number, self.connections = self.connections, self.connections + 1
            threading.Thread(target=self.talk, args=(plain, number), daemon=True).start()

    def talk(self, plain, number):
        plain.settimeout(40)
        s = plain
        try:
            pieces = self.raw(number)
            if pieces is None:
                s = self.context(number).wrap_socket(plain, server_side=True, suppress_ragged_eofs=True)
                request = self.request(s)
                path = request.split(" ")[1]
                self.asked.append((path, request))
                pieces = self.answer(number, path, request)
            reset = False
            for piece in pieces:
                if self.over:
                    break
                if piece is RESET:
                    reset = True
                    break
                if piece:
                    s.sendall(piece)
            if reset:
                s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            elif s is not plain:
                s = s.unwrap()  # says that nothing follows, as a good server does
        except (OSError, IndexError, KeyError, ValueError):
            pass
        finally:
            s.close()
            plain.close()

    @staticmethod
    def request(s):
        got = b""
        while b"\r\n\r\n" not in got:
            more = s.recv(4096)
            if not more:
                break
            got += more
        return got.decode("latin-1")


def reply(body, kind="text/csv", status="200 OK", more=()):
    """A whole answer."""
    lines = ["HTTP/1.1 " + status, "Content-Type: " + kind, "Content-Length: %d" % len(body), "Connection: close"]
    return "\r\n".join(lines + list(more) + ["", ""]).encode() + body
