/** linux/net.h: kinds of sockets, and what is said with them. */
export const socketStream = 1;
export const socketDatagram = 2;
export const socketRaw = 3;
export const socketNonBlocking = 0o4000;
export const socketCloseOnExec = 0o2000000;

/** linux/socket.h: MSG_DONTWAIT */
export const doNotWait = 0x40;
