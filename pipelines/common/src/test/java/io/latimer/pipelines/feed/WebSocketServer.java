package io.latimer.pipelines.feed;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;

/** The server's side of a websocket (RFC 6455), frame by frame, so that a test can break it. */
final class WebSocketServer {
  private static final String MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  static final int TEXT = 1;
  static final int CONTINUATION = 0;
  static final int CLOSE = 8;
  static final int PING = 9;

  private WebSocketServer() {}

  /**
   * Answers the handshake of section 4.2.2, and waits for the first message, as Jetstream does with
   * {@code requireHello}.
   *
   * @return that message
   */
  static String accept(ScriptedServer.Request request, ScriptedServer.Connection to)
      throws Exception {
    String key = request.header("Sec-WebSocket-Key") + MAGIC;
    byte[] hash =
        MessageDigest.getInstance("SHA-1").digest(key.getBytes(StandardCharsets.US_ASCII));
    to.send(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: "
            + Base64.getEncoder().encodeToString(hash)
            + "\r\n\r\n");
    DataInputStream in = new DataInputStream(to.in());
    in.readByte(); // a whole text
    int length = in.readByte() & 0x7f;
    byte[] mask = new byte[4];
    byte[] text = new byte[length == 126 ? in.readUnsignedShort() : length];
    in.readFully(mask);
    in.readFully(text);
    for (int i = 0; i < text.length; i++) {
      text[i] ^= mask[i % 4];
    }
    return new String(text, StandardCharsets.UTF_8);
  }

  static void text(ScriptedServer.Connection to, String text) throws IOException {
    frame(to, true, TEXT, text.getBytes(StandardCharsets.UTF_8));
  }

  /** Sends a frame of section 5.2, unmasked, as a server does. */
  static void frame(ScriptedServer.Connection to, boolean last, int opcode, byte[] data)
      throws IOException {
    to.out().write(bytes(last, opcode, data));
    to.out().flush();
  }

  static byte[] bytes(boolean last, int opcode, byte[] data) {
    ByteBuffer frame = ByteBuffer.allocate(10 + data.length);
    frame.put((byte) ((last ? 0x80 : 0) | opcode));
    if (data.length < 126) {
      frame.put((byte) data.length);
    } else if (data.length < 1 << 16) {
      frame.put((byte) 126).putShort((short) data.length);
    } else {
      frame.put((byte) 127).putLong(data.length);
    }
    frame.put(data);
    byte[] bytes = new byte[frame.position()];
    frame.flip().get(bytes);
    return bytes;
  }
}
