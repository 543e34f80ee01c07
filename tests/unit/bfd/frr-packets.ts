/**
 * What two bfdd of FRR 8.4.4 sent each other when 10.0.7.1 (discriminator a0dcfe8a, transmit-interval 200) met 10.0.7.2
 * (eb0c3f20, receive-interval 250), in this order; then the first was told another transmit-interval (500), then `shutdown`.
 */
export const frrPackets = {
  down: "20400318 a0dcfe8a 00000000 000f4240 000f4240 0000c350",
  init: "20800318 eb0c3f20 a0dcfe8a 000f4240 000f4240 0000c350",
  upWithPoll: "20e00318 a0dcfe8a eb0c3f20 00030d40 000493e0 0000c350",
  upWithFinal: "20d00318 eb0c3f20 a0dcfe8a 000493e0 0003d090 0000c350",
  up: "20c00318 eb0c3f20 a0dcfe8a 000493e0 0003d090 0000c350",
  slowerWithPoll: "20e00318 a0dcfe8a eb0c3f20 0007a120 000493e0 0000c350",
  adminDown: "20000318 a0dcfe8a eb0c3f20 0007a120 000493e0 0000c350",
  downAfterAdminDown: "23400318 eb0c3f20 00000000 000493e0 0003d090 0000c350",
} as const;
