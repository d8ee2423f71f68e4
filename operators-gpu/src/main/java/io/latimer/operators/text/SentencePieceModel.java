package io.latimer.operators.text;

import io.latimer.operators.OperatorException;
import io.latimer.operators.util.Utf8;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The metadata of a SentencePiece model file, read without native code (Protocol Buffers,
 * sentencepiece_model.proto), so that a damaged file is refused before the native library reads it.
 * The library trusts a model: it ends the process where a piece contains NUL, overflows its stack
 * at a long one, and reads wherever the normalization rules point.
 *
 * @param pieces in the order of their ids
 * @param unkId the id of the unknown piece
 * @param eosId the id of the end of a sentence; -1 if the model has none
 */
record SentencePieceModel(List<Piece> pieces, int unkId, int eosId) {
  enum Type {
    NORMAL,
    UNKNOWN,
    CONTROL,
    USER_DEFINED,
    UNUSED,
    BYTE
  }

  record Piece(String text, Type type) {}

  /** Ten times the largest published model. */
  static final int MAX_BYTES = 64 << 20;

  /** The library builds its tries recursively, with a call per byte of a piece. */
  static final int MAX_PIECE_BYTES = 1024;

  /** The library has room for that many user-defined pieces that are prefixes of each other. */
  static final int MAX_NESTED = 64;

  /** The library segments a model's self-test while it loads it. */
  private static final int MAX_SELF_TEST_BYTES = 1 << 20;

  private static final int PIECE = 1;
  private static final int TRAINER_SPEC = 2;
  private static final int NORMALIZER_SPEC = 3;
  private static final int SELF_TEST = 4;
  private static final int DENORMALIZER_SPEC = 5;

  private static final int EOS_ID = 42;
  private static final int CHARSMAP = 2;

  /**
   * @param name of the file, for messages
   * @throws OperatorException if the bytes are not a model
   */
  static SentencePieceModel parse(byte[] bytes, String name) {
    if (bytes.length > MAX_BYTES) {
      throw new OperatorException(
          name + " has " + bytes.length + " bytes; a SentencePiece model has at most " + MAX_BYTES);
    }
    List<Piece> pieces = new ArrayList<>();
    long eos = 2;
    int unk = -1;
    try {
      Fields fields = new Fields(ByteBuffer.wrap(bytes));
      while (fields.next()) {
        switch (fields.number) {
          case PIECE -> {
            Piece piece = piece(fields.message(), pieces.size(), name);
            if (piece.type() == Type.UNKNOWN) {
              unk = pieces.size();
            }
            if (pieces.size() == Vocabulary.MAX_SIZE) {
              throw new Malformed("it has more than " + Vocabulary.MAX_SIZE + " pieces");
            }
            pieces.add(piece);
          }
          case TRAINER_SPEC -> {
            Fields trainer = fields.message();
            while (trainer.next()) {
              eos = trainer.number == EOS_ID ? (int) trainer.varint() : eos;
            }
          }
          case NORMALIZER_SPEC, DENORMALIZER_SPEC -> {
            Fields normalizer = fields.message();
            while (normalizer.next()) {
              if (normalizer.number == CHARSMAP) {
                SentencePieceNormalization.check(normalizer.bytes());
              }
            }
          }
          case SELF_TEST -> {
            if (fields.bytes().remaining() > MAX_SELF_TEST_BYTES) {
              throw new Malformed("its self-test has more than " + MAX_SELF_TEST_BYTES + " bytes");
            }
          }
          default -> {
            // for other programs
          }
        }
      }
      requireFewNested(pieces);
    } catch (Malformed | SentencePieceNormalization.Invalid e) {
      throw new OperatorException(name + " is not a SentencePiece model: " + e.getMessage(), e);
    }
    if (pieces.isEmpty() || unk < 0) {
      throw new OperatorException(
          name
              + " is not a SentencePiece model: it has no "
              + (unk < 0 ? "unknown piece" : "pieces"));
    }
    return new SentencePieceModel(List.copyOf(pieces), unk, (int) eos);
  }

  private static Piece piece(Fields fields, int id, String name) throws Malformed {
    String text = "";
    Type type = Type.NORMAL;
    while (fields.next()) {
      if (fields.number == 1) {
        int length = fields.bytes().remaining();
        if (length > MAX_PIECE_BYTES) {
          throw new Malformed(
              "piece "
                  + id
                  + " has "
                  + length
                  + " bytes; Latimer supports pieces of at most "
                  + MAX_PIECE_BYTES);
        }
        text = Utf8.decode(fields.bytes());
        if (text == null) {
          throw new OperatorException(name + ": piece " + id + " is not UTF-8");
        }
        if (text.indexOf('\0') >= 0) {
          throw new Malformed("piece " + id + " contains the character NUL");
        }
      } else if (fields.number == 3) {
        long number = fields.varint();
        if (number < 1 || number > Type.values().length) {
          throw new Malformed("piece " + id + " is of type " + number);
        }
        type = Type.values()[(int) number - 1];
      }
    }
    if (text.isEmpty()) {
      throw new Malformed("piece " + id + " is empty");
    }
    return new Piece(text, type);
  }

  /** In sorted order, pieces follow their own prefixes. */
  private static void requireFewNested(List<Piece> pieces) throws Malformed {
    List<String> defined =
        pieces.stream()
            .filter(piece -> piece.type() == Type.USER_DEFINED)
            .map(Piece::text)
            .sorted()
            .toList();
    Deque<String> starts = new ArrayDeque<>();
    for (String text : defined) {
      while (!starts.isEmpty() && !text.startsWith(starts.peek())) {
        starts.pop();
      }
      starts.push(text);
      if (starts.size() > MAX_NESTED) {
        throw new Malformed(
            "more than "
                + MAX_NESTED
                + " of its user-defined pieces start each other; the library supports no more");
      }
    }
  }

  /** The wire format is broken. */
  private static final class Malformed extends Exception {
    private static final long serialVersionUID = 1L;

    Malformed(String message) {
      super(message);
    }
  }

  /**
   * Iterates over the fields of one message; every length is checked against the remaining bytes.
   */
  private static final class Fields {
    private final ByteBuffer in;
    private int number;
    private int wire;
    private ByteBuffer bytes;
    private long varint;

    Fields(ByteBuffer in) {
      this.in = in.order(ByteOrder.LITTLE_ENDIAN);
    }

    boolean next() throws Malformed {
      if (!in.hasRemaining()) {
        return false;
      }
      long tag = readVarint();
      number = (int) (tag >>> 3);
      wire = (int) (tag & 7);
      if (number <= 0 || tag >>> Integer.SIZE != 0) {
        throw new Malformed("field number " + number + " before byte " + in.position());
      }
      switch (wire) {
        case 0 -> varint = readVarint();
        case 1 -> skip(8);
        case 2 -> {
          long length = readVarint();
          if (length < 0 || length > in.remaining()) {
            throw new Malformed(
                "field "
                    + number
                    + " claims "
                    + length
                    + " bytes, "
                    + in.remaining()
                    + " are left");
          }
          bytes = in.slice(in.position(), (int) length);
          in.position(in.position() + (int) length);
        }
        case 5 -> skip(4);
        default -> throw new Malformed("wire type " + wire + " before byte " + in.position());
      }
      return true;
    }

    Fields message() throws Malformed {
      return new Fields(bytes());
    }

    ByteBuffer bytes() throws Malformed {
      expect(2);
      return bytes;
    }

    long varint() throws Malformed {
      expect(0);
      return varint;
    }

    private void expect(int expected) throws Malformed {
      if (wire != expected) {
        throw new Malformed(
            "field " + number + " has wire type " + wire + ", expected " + expected);
      }
    }

    private void skip(int count) throws Malformed {
      if (in.remaining() < count) {
        throw new Malformed("field " + number + " is truncated");
      }
      in.position(in.position() + count);
    }

    private long readVarint() throws Malformed {
      long value = 0;
      for (int shift = 0; shift < 64; shift += 7) {
        if (!in.hasRemaining()) {
          throw new Malformed("it is truncated at byte " + in.position());
        }
        byte b = in.get();
        value |= (b & 0x7FL) << shift;
        if (b >= 0) {
          return value;
        }
      }
      throw new Malformed("a number before byte " + in.position() + " has no end");
    }
  }
}
