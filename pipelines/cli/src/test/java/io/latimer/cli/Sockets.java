package io.latimer.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Where processes listen, and what they answer there. */
final class Sockets {
  private static final String LISTENS = "0A";
  private static final int ANSWER_MILLIS = 5_000;

  private Sockets() {}

  /**
   * A listening socket.
   *
   * @param address as the kernel writes it, in hexadecimal
   */
  record Listening(String address, int port) {
    boolean isLoopback() {
      return address.endsWith("7F") // 127.x.x.x, little-endian
          || address.equals("00000000000000000000000001000000") // ::1
          || address.matches("0{16}FFFF0000......7F");
    }
  }

  static boolean areKnown() {
    return Files.isDirectory(Path.of("/proc/self/fd"));
  }

  /** Those of a process and of all that it started. */
  static List<Listening> of(Process process) throws IOException {
    List<ProcessHandle> processes = new ArrayList<>(process.descendants().toList());
    processes.add(process.toHandle());
    List<Listening> sockets = new ArrayList<>();
    for (ProcessHandle each : processes) {
      sockets.addAll(of(each));
    }
    return sockets;
  }

  private static List<Listening> of(ProcessHandle process) throws IOException {
    Set<String> own = new HashSet<>();
    try (Stream<Path> files = Files.list(Path.of("/proc/" + process.pid() + "/fd"))) {
      for (Path file : files.toList()) {
        try {
          own.add(Files.readSymbolicLink(file).toString());
        } catch (IOException e) {
          // closed meanwhile
        }
      }
    }
    List<Listening> sockets = new ArrayList<>();
    for (String table : List.of("tcp", "tcp6")) {
      List<String> lines = Files.readAllLines(Path.of("/proc/" + process.pid() + "/net/" + table));
      for (String line : lines.subList(1, lines.size())) {
        String[] columns = line.strip().split("\\s+", -1);
        if (columns[3].equals(LISTENS) && own.contains("socket:[" + columns[9] + "]")) {
          String[] address = columns[1].split(":", -1);
          sockets.add(new Listening(address[0], Integer.parseInt(address[1], 16)));
        }
      }
    }
    return sockets;
  }

  /** What a port of this machine answers to a request, or what came of it in some seconds. */
  static String ask(int port, String request, String... headers) throws IOException {
    StringBuilder answer = new StringBuilder();
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(ANSWER_MILLIS);
      String text = request + " HTTP/1.1\r\n" + String.join("\r\n", headers) + "\r\n";
      socket
          .getOutputStream()
          .write((text + "Connection: close\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
      byte[] part = new byte[8192];
      for (int n; (n = socket.getInputStream().read(part)) >= 0; ) {
        answer.append(new String(part, 0, n, StandardCharsets.ISO_8859_1));
      }
    } catch (SocketTimeoutException | SocketException e) {
      // it speaks no HTTP
    }
    return answer.toString();
  }
}
