import { maskPlace, maskText } from './mask.ts';

const mask = (text: string, location = '') => maskText(text, { number: 'YT8962646785999', location });

// biome-ignore format: one text per line is readable as a table
test.each([
  ['【张三，13812345678】正在派件', '【•••，•••】正在派件'],
  ['【杭州网点】的快递员张三（13812345678）正在为您派件', '【杭州网点】的快递员•••（•••）正在为您派件'],
  ['快递员王小明，电话：138****5678，即将派送', '快递员•••，电话：•••，即将派送'],
  ['派件员：欧阳娜娜 电话 0571-88886666', '派件员：••• 电话 •••'],
  ['快递员陆师傅正在派送', '快递员•••正在派送'],
  ['已签收，签收人：李四', '已签收，签收人：•••'],
  ['已签收，签收人是：程某某，如有疑问请致电 13812345678', '已签收，签收人是：•••，如有疑问请致电 •••'],
  ['客户 签收人 : 陆 已签收', '客户 签收人 : ••• 已签收'],
  ['收件人程某某本人签收', '收件人•••本人签收'],
  ['快件已由张三代签收', '快件已由•••代签收'],
  ['【小陆】正在派件', '【•••】正在派件'],
  ['小陆正在第2次派件 请保持电话畅通', '•••正在第2次派件 请保持电话畅通'],
  ['小陆派送完毕并签收，签收人：本人', '•••派送完毕并签收，签收人：本人'],
  ['梧桐街小陆正在为您派件', '梧桐街•••正在为您派件'],
  ['柏州南门-小陆-已收件', '柏州南门-•••-已收件'],
  ['柏州南门-张三-已收件', '柏州南门-•••-已收件'],
  ['已签收。如有疑问，请致电派件员小陆，或到驿站询问', '已签收。如有疑问，请致电派件员•••，或到驿站询问'],
  ['请凭取件码8-2-1033到梧桐街驿站取件', '请凭取件码•••到梧桐街驿站取件'],
  ['请凭“3-1-1001”取件', '请凭“•••”取件'],
  ['联系人：王女士，手机 139 1234 5678', '联系人：•••，手机 •••'],
  ['已簽收，簽收人：陳大文', '已簽收，簽收人：•••'],
  ['速遞員張三，電話 13812345678，正在為您派送', '速遞員•••，電話 •••，正在為您派送'],
  ['派送員陳大文正在派件', '派送員•••正在派件'],
  ['快件已由張三代簽收', '快件已由•••代簽收'],
  ['聯絡人：鄭小姐', '聯絡人：•••'],
  ['【小陸】正在派件', '【•••】正在派件'],
])('%s shows %s', (text, masked) => {
  expect(mask(text)).toBe(masked);
});

// biome-ignore format: one text per line is readable as a table
test.each([
  ['Signed by J SMITH', 'Signed by •••'],
  ['Signed for by: J. SMITH', 'Signed for by: •••'],
  ['SIGNED BY: SMITH', 'SIGNED BY: •••'],
  ['Signed for by: M.GARCIA', 'Signed for by: •••'],
  ['Signed by A. B. Smith-Jones', 'Signed by •••'],
  ['SIGNED BY A SMITH', 'SIGNED BY •••'],
  ['Delivered, signed by Anne-Marie O’Neil at the front desk', 'Delivered, signed by ••• at the front desk'],
  ['Delivered. Signature: JOHN VAN DER BERG', 'Delivered. Signature: •••'],
  ['Your courier John, 07700 900123, is on the way', 'Your courier •••, •••, is on the way'],
  ['Your driver is Mike and will arrive at 14:05', 'Your driver is ••• and will arrive at 14:05'],
  ['Out for delivery from Hazelford with Mira Solano', 'Out for delivery from Hazelford with •••'],
  ['Collected by Mira Solano at Hazelford', 'Collected by ••• at Hazelford'],
  ['Left with neighbour Smith at no. 12', 'Left with neighbour ••• at no. 12'],
  ['Delivered to Mr Brown', 'Delivered to •••'],
  ['Zugestellt an Herrn Müller', 'Zugestellt an •••'],
  ['Die Sendung wurde beim Nachbarn Schmidt abgegeben', 'Die Sendung wurde beim Nachbarn ••• abgegeben'],
  ['Unterschrift: von der Leyen', 'Unterschrift: •••'],
  ['Signé par DUPONT', 'Signé par •••'],
  ['Übergabe durch Frau Schmidt-Lenz', 'Übergabe durch Frau •••'],
  ['Remis à Mme Dupont', 'Remis à •••'],
  ['Entregado a Sra. García', 'Entregado a •••'],
  ['Firmato da ROSSI MARIO', 'Firmato da •••'],
  ['Call +44 7700 900123 or (555) 123-4567', 'Call ••• or •••'],
  ['Questions? Tel. 06 12 34 56 78', 'Questions? Tel. •••'],
  ['Contact j.smith@example.com', 'Contact •••'],
  ['Your pick-up code is 4711', 'Your pick-up code is •••'],
  ['Your PIN code is 4711', 'Your PIN code is •••'],
  ['Abholung mit PIN-Code: 471122', 'Abholung mit PIN-Code: •••'],
  ['Ready at the locker. Locker code: 123 456', 'Ready at the locker. Locker code: •••'],
  ['Pick up code: 4711', 'Pick up code: •••'],
  ['Код получения: 482913', 'Код получения: •••'],
  ['Mã nhận hàng là 4829', 'Mã nhận hàng là •••'],
  ['รหัสรับพัสดุ 4829', 'รหัสรับพัสดุ •••'],
  ['Kod odbioru: 123456', 'Kod odbioru: •••'],
  ['取件密码：123456，请及时取件', '取件密码：•••，请及时取件'],
  ['請憑取貨碼 8899 至門市取件', '請憑取貨碼 ••• 至門市取件'],
  ['배송기사 홍길동(010-1234-5678)이 배달 중입니다', '배송기사 •••(•••)이 배달 중입니다'],
  ['홍길동님께 배달 완료', '•••님께 배달 완료'],
  ['수령인: 홍길동', '수령인: •••'],
  ['受取人：山田太郎', '受取人：•••'],
  ['山田様にお届けしました', '•••様にお届けしました'],
  ['المستلم: محمد علي', 'المستلم: •••'],
  ['Получатель: Иванов Иван Иванович', 'Получатель: •••'],
  ['Вручено: ИВАНОВ И.И.', 'Вручено: •••'],
  ['Получено от Иван Петров', 'Получено от •••'],
  ['Посылку получил Иванов И. И. лично', 'Посылку получил ••• лично'],
  ['Курьер Анна-Мария Петрова, тел. 8 (912) 345-67-89, уже едет', 'Курьер •••, тел. •••, уже едет'],
  ['Отримувач: Шевченко Т.', 'Отримувач: •••'],
  ['Кур’єр Олена Ткачук доставить посилку', 'Кур’єр ••• доставить посилку'],
  ['Người nhận: Nguyễn Văn Bảo', 'Người nhận: •••'],
  ['NGƯỜI NHẬN: TRẦN THỊ LAN', 'NGƯỜI NHẬN: •••'],
  ['Đã giao cho chị Lan lúc 14:05', 'Đã giao cho chị ••• lúc 14:05'],
  ['Bưu tá Lê Văn Cường, SĐT 0912 345 678, đang giao hàng', 'Bưu tá •••, SĐT •••, đang giao hàng'],
  ['Nhân viên giao hàng: Phạm Minh - 0912345678', 'Nhân viên giao hàng: ••• - •••'],
  ['ผู้รับ: สมชาย ใจดี', 'ผู้รับ: •••'],
  ['นำจ่ายสำเร็จ ผู้รับคุณสมชาย', 'นำจ่ายสำเร็จ ผู้รับ•••'],
  ['เซ็นรับโดย สมหญิง', 'เซ็นรับโดย •••'],
  ['พนักงานนำจ่าย นายสมชาย โทร 081-234-5678', 'พนักงานนำจ่าย ••• โทร •••'],
])('%s shows %s', (text, masked) => {
  expect(mask(text)).toBe(masked);
});

// biome-ignore format: one text per line is readable as a table
test.each([
  '已签收，签收人：本人', '已签收，签收人凭取货码签收。', '签收人：门卫', '投递并签收，签收人：他人收 草签', '家人代签收',
  '投递并签收，签收人：他人收 26号菜鸟驿站', '已签收，签收人：梧桐街丰巢柜，请及时领取', '签收人：梧桐街生活超市',
  '已签收，签收人是：转EMS 1199000000017', '退件已签收，签收人：寄件人', '已签收，签收人在【梧桐街丰巢柜】(8号柜)领取',
  '【武汉市】快件已到达 武汉转运中心', '快件离开【石家庄转运中心】，下一站【唐山】', '包裹抵达【江门】', '马上派送', '快递员正在派件',
  '收件人拒收', '客户要求改日派送', '快件已由梧桐街26号店代收，请及时取件', '如有疑问请致电 95338', '客服热线 400-811-1111',
  '约定新派送时间 2031-05-03,待派送', '【杭州市】已发往【上海】', '凭取件码领走，已在驿站签收', '小区门口', '小包已收寄',
  'Received by Australia Post', 'Shipping information received by Australia Post', 'With Australia Post for delivery today',
  'Signed for by the neighbour', 'LEFT WITH A NEIGHBOUR', 'Signed for by: A. Neighbour', 'Collected by the recipient', 'Delivered to the parcel shop', 'Delivered, electronic signature',
  'Out with the courier', 'With delivery courier', 'Held by courier', 'COURIER DISPATCHED', 'Shipment is out with courier for delivery',
  'Delivered to agent for onward delivery', 'Delivered to Packstation 123', 'Arrived at USPS Regional Facility',
  'Item refused by recipient. Item being returned to sender', 'Handed over to EMS, number 1199000000017',
  'Your item was delivered in or at the mailbox in EASTHOLT, OH 45000.', 'Left in HILLROSE, CO, 80733-1234, USA',
  'Expected 04.03.2031 12:30', 'Expected 04/03/2031 10', 'Between 08.30 - 12.00', 'Delivered 2031-03-04 at 14:05',
  'Postal code 94110', 'Call 1-800-463-3339', 'Freephone 0800 123 4567', 'London SW1A 1AA', '〒060-0001 札幌市', 'お客様にお届けしました', 'ご本人様',
  'Parcel 01505012345678 is at depot 0158', 'SSCC 00340434918273645018', 'Departed Facility in LEIPZIG - GERMANY', 'Tracking 9400 1118 9950 1738 4620 18',
  'Die Sendung wurde einem Nachbarn ausgehändigt.', 'Der Empfänger hat die Annahme verweigert.', 'Die Sendung wurde dem Absender zugestellt.',
  'Votre colis est distribué à son expéditeur.', 'Votre colis est livré.', 'Remis à votre voisin', '고객님께 배달 완료', '배송기사 방문 예정', '수령인: 아파트경비', '受取人：ご家族',
  'Вручение адресату почтальоном', 'Вручено: Получатель', 'ПОЛУЧЕНО В ОТДЕЛЕНИИ СВЯЗИ', 'Передано курьеру Почты России', 'Курьер выехал к вам', 'Получатель отказался от посылки',
  'Отримувач особисто', 'Передано: Нова Пошта', 'Курьер: Охрана', 'Người nhận: Bảo vệ', 'Đã giao cho người nhận', 'Nhân viên đang giao hàng', 'ĐÃ GIAO CHO NGƯỜI NHẬN', 'Bưu tá đang đi phát',
  'Đã giao cho Đơn vị vận chuyển', 'ผู้รับได้รับพัสดุแล้ว', 'ผู้รับ: รปภ.', 'พัสดุของคุณอยู่ระหว่างการนำจ่าย', 'พนักงานกำลังนำจ่าย', 'ผู้รับปฏิเสธการรับ',
])('%s stays as it is', (text) => {
  expect(mask(text)).toBe(text);
});

test('the number of the parcel is not taken for a phone number, nor its place for a name', () => {
  expect(maskText('包裹 13812345678 已揽收', { number: '13812345678', location: '' })).toBe('包裹 13812345678 已揽收');
  expect(mask('Delivered to Larkhaven', 'Larkhaven, OR')).toBe('Delivered to Larkhaven');
});

test('masking twice changes nothing more', () => {
  const once = mask('快递员张三（13812345678）正在派件. Signed by J SMITH');
  expect(mask(once)).toBe(once);
});

test('places have no phone numbers', () => {
  expect(maskPlace('杭州网点 13812345678', 'A1')).toBe('杭州网点 •••');
  expect(maskPlace('FENNBROOK, CA 94999', 'A1')).toBe('FENNBROOK, CA 94999');
});
