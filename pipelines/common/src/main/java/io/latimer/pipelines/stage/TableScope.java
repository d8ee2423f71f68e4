package io.latimer.pipelines.stage;

/**
 * What a table covers.
 *
 * @param group the group, such as a feed; empty if all records are counted together
 * @param running whether it is a running table of everything so far instead of a window's
 * @param start start of the window or of the first counted pane, in milliseconds since 1970
 * @param end exclusive end, in milliseconds since 1970
 * @param revision 0 for a window's first table, increased by 1 for each that replaces it
 * @param records number of records in the table; 1 or more
 * @param late number of records since the job started that were too late for at least one window
 */
public record TableScope(
    String group, boolean running, long start, long end, int revision, long records, long late) {}
