import { describeErrorCode, type ErrorCode, errorCodes } from "./bgp-error.js";
import { encodeMessage, headerLength, maximumMessageLength } from "./message-header.js";

/** RFC 4271 section 4.5: code (1) | subcode (1) | data. */
export interface NotificationMessage {
  readonly kind: "notification";
  readonly errorCode: ErrorCode;
  readonly data: Buffer;
}

const maximumData = maximumMessageLength - headerLength - 2;

/** `body` holds at least code and subcode: the framer has refused anything shorter. */
export function decodeNotification(body: Buffer): NotificationMessage {
  return {
    kind: "notification",
    errorCode: { code: body.readUInt8(0), subcode: body.readUInt8(1) },
    data: body.subarray(2),
  };
}

/** Data beyond what a message may hold is cut off. */
export function encodeNotification(errorCode: ErrorCode, data: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.from([errorCode.code, errorCode.subcode]);
  return encodeMessage("notification", Buffer.concat([head, data.subarray(0, maximumData)]));
}

/** For people, with the reason that the other operator typed (RFC 9003 section 2). */
export function describeNotification({ errorCode, data }: NotificationMessage): string {
  const reason = shutdownReason(errorCode, data);
  return reason === undefined ? describeErrorCode(errorCode) : `${describeErrorCode(errorCode)}: "${reason}"`;
}

/** Administrative Shutdown and Reset: length (1) | UTF-8 text. Control characters must not reach a log or terminal. */
function shutdownReason({ code, subcode }: ErrorCode, data: Buffer): string | undefined {
  const administrativeReset = 4;
  const carriesReason =
    code === errorCodes.administrativeShutdown.code &&
    (subcode === errorCodes.administrativeShutdown.subcode || subcode === administrativeReset);
  const length = data[0];
  if (!carriesReason || length === undefined || length === 0 || length > data.length - 1) {
    return undefined;
  }
  return data.toString("utf8", 1, 1 + length).replaceAll(/\p{Cc}/gu, "?");
}
