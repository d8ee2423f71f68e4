package io.latimer.pipelines.feed;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * An HTTP server on loopback that answers each connection byte by byte as a test says, and then
 * closes it; so it can break off anywhere.
 */
final class ScriptedServer implements Closeable {
  /** Answers a connection. */
  interface Answer {
    void write(Request request, Connection connection) throws Exception;
  }

  /** The head of a request, and its number from 0. */
  record Request(int number, String head) {
    /** The value of a header; empty if it has none. */
    String header(String name) {
      return head.lines()
          .filter(
              line -> line.toLowerCase(Locale.ROOT).startsWith(name.toLowerCase(Locale.ROOT) + ":"))
          .map(line -> line.substring(name.length() + 1).strip())
          .findFirst()
          .orElse("");
    }

    String path() {
      return head.split(" ", 3)[1];
    }
  }

  /** Both directions of a connection. */
  record Connection(InputStream in, OutputStream out) {
    void send(String text) throws IOException {
      out.write(text.getBytes(StandardCharsets.UTF_8));
      out.flush();
    }
  }

  private final ServerSocket server;
  private final Thread thread;
  final List<Request> requests = new CopyOnWriteArrayList<>();

  ScriptedServer(Answer answer) throws IOException {
    server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    thread = new Thread(() -> serve(answer), "scripted server");
    thread.setDaemon(true);
    thread.start();
  }

  private void serve(Answer answer) {
    while (!server.isClosed()) {
      try (Socket socket = server.accept()) {
        Connection connection = new Connection(socket.getInputStream(), socket.getOutputStream());
        Request request = new Request(requests.size(), head(connection.in()));
        requests.add(request);
        answer.write(request, connection);
      } catch (Exception e) {
        // the reader has gone, or the server is being closed
      }
    }
  }

  private static String head(InputStream in) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
      int b = in.read();
      if (b < 0) {
        throw new IOException("no request");
      }
      head.write(b);
    }
    return head.toString(StandardCharsets.ISO_8859_1);
  }

  String url(String path) {
    return "http://127.0.0.1:" + server.getLocalPort() + path;
  }

  int port() {
    return server.getLocalPort();
  }

  @Override
  public void close() throws IOException {
    server.close();
    thread.interrupt();
  }
}
