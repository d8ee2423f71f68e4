package io.latimer.pipelines.stage;

/**
 * What a table is about.
 *
 * @param group what was counted apart, such as a feed; empty where all is counted together
 * @param running whether it is a running table, of everything so far, rather than one of a window
 * @param start when the window begins, or the first thing counted; milliseconds since 1970
 * @param end when it ends, exclusive; milliseconds since 1970
 * @param revision 0 for a window's first table, and one more for each that replaces it
 * @param records number of records in the table; 1 or more
 * @param late number of records since the job began that came too late for a window or more
 */
public record TableScope(
    String group, boolean running, long start, long end, int revision, long records, long late) {}
